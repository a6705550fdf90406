import { parse } from 'yaml';

/**
 * The manifest of the n-th pod: one container as people write it, with ports, environment and resources; no volume. It
 * asks for so little that a node admits thousands.
 */
export const podManifest = (n: number): string => `apiVersion: v1
kind: Pod
metadata:
  name: ${podName(n)}
  namespace: ${namespaceOf(n)}
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/instance: ${podName(n)}
    tier: frontend
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "8080"
spec:
  terminationGracePeriodSeconds: 5
  containers:
    - name: web
      image: registry.example/shop/web:1.${n % 5}
      imagePullPolicy: IfNotPresent
      command: ["/bin/web", "--listen=:8080"]
      ports:
        - name: http
          containerPort: 8080
      env:
        - name: LOG_LEVEL
          value: info
        - name: POD_NAME
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        - name: POD_IP
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
      resources:
        requests:
          memory: 1Mi
        limits:
          memory: 64Mi
`;

export const namespaceOf = (n: number): string => `shop-${n % 10}`;
export const NAMESPACES = Array.from({ length: 10 }, (_, n) => namespaceOf(n));

/** The same pod as it is given to an API server: bound to a node, and without a token, as a static pod is. */
export function apiPod(n: number, nodeName: string): object {
  const { spec, ...pod } = parse(podManifest(n)) as { readonly spec: object };
  return { ...pod, spec: { ...spec, nodeName, automountServiceAccountToken: false } };
}

export const podName = (n: number): string => `web-${String(n).padStart(5, '0')}`;
export const manifestFile = (n: number): string => `${podName(n)}.yaml`;
