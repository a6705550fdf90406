import { scenarios } from '../lifecycle/scenario.ts';
import { livesOnContainerd } from './lives-on-containerd.ts';
import { notOnContainerd } from './not-on-containerd.ts';

const only = process.env['HIVELET_ONLY']?.split(',');

livesOnContainerd(
  'lives on real containerd',
  scenarios.filter(({ name }) => (only === undefined ? !(name in notOnContainerd) : only.includes(name))),
);
