import { livesOnContainerd } from '../lifecycle-on-containerd/lives-on-containerd.ts';
import { scenarios } from '../lifecycle/scenario.ts';

/** A few short scenarios; `npm run lifecycle-on-containerd` plays all. */
const short = ['never-exit1', 'oomkilled-never', 'init-fail-never', 'poststart-fails', 'onfailure-exit3-then0'];

livesOnContainerd(
  'the shortest lives on real containerd',
  scenarios.filter(({ name }) => short.includes(name)),
);
