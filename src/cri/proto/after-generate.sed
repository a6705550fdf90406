# What is changed in generated code; each file is one text here (sed -z).
# The whole library weighs each thread 2.5 MiB: the two classes come from the one file they are in.
s#"@bufbuild/protobuf/wire"#"../../kube/text/protobuf-wire.ts"#g
# Keys of maps come from outside, and an assignment by key loses the value of `__proto__`.
s#(message\.[A-Za-z]+)\[(entry[0-9]*\.key)\] = (entry[0-9]*\.value);#put(\1, \2, \3);#g
s#acc\[key\] = ([^\n]*);#put(acc, key, \1);#g
/put\(/s#\nimport \{ BinaryReader#\nimport { put } from "../../kube/text/own.ts";&#
