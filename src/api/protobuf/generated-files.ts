import type { ApiMessages } from './api-messages.ts';
import { decodersText } from './decoders.ts';
import { READ_KINDS, SERVED_KINDS, WRITTEN_KINDS } from './kinds.ts';
import { wireMessagesText } from './wire-messages.ts';

/** Returns the generated files below `src`, with their text. */
export const generatedFiles = (messages: ApiMessages): readonly (readonly [file: string, text: string])[] => [
  ['api/protobuf/gen/decoders.ts', decodersText(messages, READ_KINDS)],
  [
    'api/protobuf/gen/wire-messages.ts',
    wireMessagesText({ messages, kinds: WRITTEN_KINDS, typesFrom: '../wire-types.ts' }),
  ],
  [
    'embedded/apiserver/protobuf/gen/wire-messages.ts',
    wireMessagesText({ messages, kinds: SERVED_KINDS, typesFrom: '../../../../api/protobuf/wire-types.ts' }),
  ],
];
