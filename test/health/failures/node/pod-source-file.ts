import { CRASHED, duty, event, heals, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'A file is bad': {
    heard: [log('static pods: '), event('FailedValidation')],
    shown: [
      'actors/pod-source-file/actor.test.ts',
      'keeps its pod when the source crashes, and when the agent restarts',
    ],
  },
  'A pipe, socket, device': {
    heard: [log('ignoring the entry: it is')],
    shown: [
      'actors/pod-source-file/actor.test.ts',
      'reports each entry that is not a file once by its name, and again when it returns',
    ],
  },
  'Two files name one pod': {
    heard: [log('is already defined in'), event('FailedValidation')],
    shown: [
      'actors/pod-source-file/actor.test.ts',
      'reports the unused one of two files with the same pod name, in an event of the pod too',
    ],
  },
  'The folder is missing': {
    heard: [log('static pods: ')],
    shown: ['actors/pod-source-file/actor.test.ts', 'treats a missing folder as empty, and reports it once'],
  },
  'The folder cannot be read, or hangs': {
    heard: [duty('read the static pod folder')],
    shown: [
      'actors/pod-source-file/actor.test.ts',
      'is a failing duty while its disk does not answer, and its pods stay',
    ],
  },
  'A job fails or takes too long': {
    heard: [log('cannot parse static pod manifests'), heals('GIVEN_UP_FOR_MS')],
    shown: ['actors/pod-source-file/actor.test.ts', 'leaves the source incomplete, and is repeated file by file'],
  },
  'A watch ends': {
    heard: [heals('AGAIN')],
    shown: [
      'actors/pod-source-file/actor.test.ts',
      'watches again after 1 s, 2 s and so on up to 20 s, and reads everything then',
    ],
  },
  'It crashes': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
};
