GRANT USAGE ON SCHEMA lectern TO lectern_worker, lectern_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA lectern TO lectern_worker, lectern_reader;
GRANT INSERT ON lectern.targets, lectern.runs, lectern.run_rows, lectern.passes, lectern.parts,
  lectern.workers, lectern.attempts, lectern.outcomes, lectern.settlements,
  lectern.imports TO lectern_worker;
GRANT UPDATE (location, context) ON lectern.targets TO lectern_worker;
GRANT UPDATE (rows, digest, options, complete) ON lectern.runs TO lectern_worker;
GRANT UPDATE (stopped, next_slot, held_until, waits_until) ON lectern.passes TO lectern_worker;
GRANT UPDATE (worker, done, timeline) ON lectern.parts TO lectern_worker;
GRANT UPDATE (seen, ended, sent, learnt, timeline) ON lectern.workers TO lectern_worker;
GRANT UPDATE (target, member) ON lectern.attempts TO lectern_worker;
