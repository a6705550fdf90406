import type { FieldTable, StructName } from './config-schema.ts';

/** The fields of the objects nested in a KubeletConfiguration (v1beta1, Kubernetes 1.36). */
// prettier-ignore
export const structFields = {
  KubeletAuthentication: {
    x509: { type: 'KubeletX509Authentication', doc: 'client certificates' },
    webhook: { type: 'KubeletWebhookAuthentication', doc: 'bearer tokens, checked by the API server' },
    anonymous: { type: 'KubeletAnonymousAuthentication', doc: 'requests without credentials' },
  },
  KubeletX509Authentication: {
    clientCAFile: { type: 'string', relativeToFile: true, doc: 'certificate authorities that may sign client certificates' },
  },
  KubeletWebhookAuthentication: {
    enabled: { type: 'bool?', default: true, doc: 'check bearer tokens with a TokenReview' },
    cacheTTL: { type: 'duration', default: '2m', doc: 'how long an answer about a token is cached' },
  },
  KubeletAnonymousAuthentication: {
    enabled: { type: 'bool?', default: false, doc: 'accept requests without credentials, as system:anonymous' },
  },
  KubeletAuthorization: {
    mode: { type: 'string', default: 'Webhook', rule: { oneOf: ['AlwaysAllow', 'Webhook'] }, doc: 'how requests are authorized' },
    webhook: { type: 'KubeletWebhookAuthorization', doc: 'SubjectAccessReview answers' },
  },
  KubeletWebhookAuthorization: {
    cacheAuthorizedTTL: { type: 'duration', default: '5m', doc: 'how long an allowed answer is cached' },
    cacheUnauthorizedTTL: { type: 'duration', default: '30s', doc: 'how long a denied answer is cached' },
  },
  MemorySwapConfiguration: {
    swapBehavior: { type: 'string', gate: 'NodeSwap', rule: { oneOf: ['', 'NoSwap', 'LimitedSwap'] }, doc: 'swap for containers; empty acts as NoSwap' },
  },
  CrashLoopBackOffConfig: {
    maxContainerRestartPeriod: { type: 'duration?', default: '300s', defaultNeedsGate: true, gate: 'KubeletCrashLoopBackOffMax', rule: { between: [1_000, 300_000] }, doc: 'longest wait between restarts of a container' },
  },
  UserNamespaces: {
    idsPerPod: { type: 'int64?', default: 65_536, rule: { multipleOf: 65_536, atMost: 4_294_967_295 }, doc: 'user and group IDs of a pod' },
  },
  MemoryReservation: {
    numaNode: { type: 'int32', doc: 'NUMA node the memory belongs to' },
    limits: { type: 'map<string,quantity>', rule: { entries: 'reserved-memory' }, doc: 'amounts of memory and huge pages' },
  },
  ShutdownGracePeriodByPodPriority: {
    priority: { type: 'int32', doc: 'lowest pod priority this period is for' },
    shutdownGracePeriodSeconds: { type: 'int64', doc: 'seconds such pods get at node shutdown' },
  },
  LoggingConfiguration: {
    format: { type: 'string', default: 'text', rule: { oneOf: ['text', 'json'] }, doc: 'how log lines are written' },
    flushFrequency: { type: 'duration or ns', default: '5s', rule: { above: 0, atMost: Number.MAX_VALUE }, doc: 'longest time a log line is buffered' },
    verbosity: { type: 'uint32', rule: { between: [0, 2_147_483_647] }, doc: 'log verbosity; 0 is least' },
    vmodule: { type: 'VModuleItem[]', doc: 'verbosity by source file' },
    options: { type: 'FormatOptions', doc: 'settings of one log format' },
  },
  VModuleItem: {
    filePattern: { type: 'string', rule: { text: 'file-pattern' }, doc: 'file name without its ending, wildcards allowed' },
    verbosity: { type: 'uint32', rule: { between: [0, 2_147_483_647] }, doc: 'verbosity of those files' },
  },
  FormatOptions: {
    text: { type: 'OutputRoutingOptions', doc: 'the text format' },
    json: { type: 'OutputRoutingOptions', doc: 'the JSON format' },
  },
  OutputRoutingOptions: {
    splitStream: { type: 'bool', gate: 'LoggingAlphaOptions', doc: 'errors to stderr, the rest to stdout' },
    infoBufferSize: { type: 'quantity', gate: 'LoggingAlphaOptions', rule: { text: 'quantity' }, doc: 'bytes of info lines that are buffered' },
  },
  TracingConfiguration: {
    endpoint: { type: 'string?', rule: { text: 'tracing-endpoint' }, doc: 'OTLP gRPC collector; unset is localhost:4317' },
    samplingRatePerMillion: { type: 'int32?', rule: { between: [0, 1_000_000] }, doc: 'sampled spans per million' },
  },
  Taint: {
    key: { type: 'string', rule: { text: 'qualified-name' }, doc: 'taint key' },
    value: { type: 'string', rule: { text: 'label-value' }, doc: 'taint value' },
    effect: { type: 'string', rule: { oneOf: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] }, doc: 'what happens to pods that do not tolerate it' },
    timeAdded: { type: 'string?', rule: { text: 'unset' }, doc: 'set by the control plane only' },
  },
} as const satisfies Readonly<Record<StructName, FieldTable>>;
