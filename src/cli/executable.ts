import { runProcess } from './main.ts';

// The single executable starts with this: it is Node and lectern in one file (docs/decisions/0016).
runProcess(process);
