import * as s from '../../schema/schema.ts';
import { FAULT, FAULT_RULES, FAULTS } from '../trouble/faults.ts';
import { operation } from './operation.ts';

export const FAULT_OPERATIONS = {
  'GET faults': operation({
    summary: 'the pending faults',
    answers: FAULTS,
    run: ({ faults }) => faults.shown(),
  }),
  'POST fault': operation({
    summary: 'inject a fault into the next requests that match',
    takes: FAULT,
    rules: FAULT_RULES,
    answers: FAULTS,
    run: ({ faults }, fault) => {
      faults.add(fault);
      return faults.shown();
    },
  }),
  'POST fault/remove': operation({
    summary: 'remove a pending fault',
    takes: s.object({ id: s.integerIn(1) }),
    answers: FAULTS,
    run: ({ faults }, { id }) => {
      faults.remove(id);
      return faults.shown();
    },
  }),
  'POST fault/clear': operation({
    summary: 'remove all pending faults',
    answers: FAULTS,
    run: ({ faults }) => {
      faults.clear();
      return faults.shown();
    },
  }),
};
