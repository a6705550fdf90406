import { CRASHED, duty, heals, log, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['actors/object-folder/object-folder.test.ts', 'reads everything again after a crash'],
  },
  'A file cannot be parsed': {
    heard: [log('ignoring a file of objects')],
    shown: [
      'actors/object-folder/object-folder.test.ts',
      'keeps the objects of a file that became invalid, and logs the reason',
    ],
  },
  'The folder cannot be read, or hangs': {
    heard: [duty('read the folder of objects')],
    shown: ['actors/object-folder/object-folder.test.ts', 'is a failing duty while its disk does not answer'],
  },
  'A message is lost': {
    heard: [heals('syncFrequencyMs')],
    shown: ['actors/volume-manager/actor.test.ts', 'checks written volumes every sync period, and writes changes'],
  },
  'Two objects have one name': {
    heard: [lossless('the order of the files decides, at each read in the same way')],
    shown: [
      'actors/object-folder/object-folder.test.ts',
      'takes the object of the later file when two files name one object',
    ],
  },
};
