import { own } from '../../../kube/text/own.ts';

/** Descriptions of the most requested fields (`kubectl explain`). Other fields have a name and a type only. */

const ofAll: Readonly<Record<string, string>> = {
  apiVersion: 'The version of the API in which this object is written.',
  kind: 'What kind of object this is.',
  metadata: 'What every object has: names, labels, annotations, and what the server knows of it.',
  spec: 'What is wanted.',
  status: 'The observed state. Written by the controller of the object.',
  'metadata.name': 'Unique among the objects of its kind in a namespace. Never changes.',
  'metadata.generateName': 'The beginning of a name that the server completes, where none is given.',
  'metadata.namespace': 'The namespace it belongs to. Never changes.',
  'metadata.uid': 'Given by the server; no other object ever has the same.',
  'metadata.labels': 'Short facts by which objects are selected.',
  'metadata.annotations': 'Facts for tools and people, by which nothing is selected.',
  'metadata.resourceVersion': 'Changes with every write. A write that names an older one is refused as a conflict.',
  'metadata.generation': 'Counts the changes of what is wanted.',
  'metadata.creationTimestamp': 'When the server took it in.',
  'metadata.deletionTimestamp': 'Set by the server when deletion was asked for: when it is to be over.',
  'metadata.deletionGracePeriodSeconds': 'How long its end may take.',
  'metadata.finalizers': 'Who has to agree before the object goes.',
  'metadata.ownerReferences': 'Objects with which it is to go.',
};

const ofPods: Readonly<Record<string, string>> = {
  'spec.nodeName': 'The node that runs the pod. Set by a scheduler, or by the client that creates the pod.',
  'spec.containers': 'What runs in the pod, side by side. At least one.',
  'spec.initContainers':
    'What runs before, one after the other, each to its end; one that restarts always runs on beside the rest.',
  'spec.ephemeralContainers': 'Containers for looking into a running pod. Added by their subresource only.',
  'spec.volumes': 'Folders that containers can mount.',
  'spec.restartPolicy': 'Whether containers that have ended are started again: Always, OnFailure or Never.',
  'spec.terminationGracePeriodSeconds':
    'How long containers have between being asked to end and being killed. 30 by default.',
  'spec.activeDeadlineSeconds': 'How long the pod may be active before it is failed.',
  'spec.hostNetwork': 'Whether the pod shares the network of its node.',
  'spec.dnsPolicy': 'Where names are looked up: ClusterFirst, ClusterFirstWithHostNet, Default or None.',
  'spec.serviceAccountName': 'As whom the pod asks the API.',
  'spec.automountServiceAccountToken': 'Whether a token of the service account is mounted into its containers.',
  'spec.imagePullSecrets': 'Secrets with which images may be pulled.',
  'spec.nodeSelector': 'Labels that a node must have to run the pod.',
  'spec.tolerations': 'Taints of nodes that do not keep the pod away.',
  'spec.priorityClassName': 'How important the pod is beside others.',
  'spec.runtimeClassName': 'Which of the runtime’s handlers runs the pod.',
  'spec.securityContext': 'Users, groups and privileges of all containers.',
  'spec.hostAliases': 'Lines for the hosts file of the containers.',
  'spec.containers[].name': 'Unique in the pod.',
  'spec.containers[].image': 'The image it is made of: a name with a tag or a digest.',
  'spec.containers[].imagePullPolicy': 'When the image is pulled: Always, IfNotPresent or Never.',
  'spec.containers[].command': 'Runs in place of the entrypoint of the image.',
  'spec.containers[].args': 'Are given to the command in place of those of the image.',
  'spec.containers[].workingDir': 'Where the command is run.',
  'spec.containers[].env': 'Variables in its environment.',
  'spec.containers[].envFrom': 'ConfigMaps and Secrets whose keys become variables.',
  'spec.containers[].ports': 'Ports that the container listens on. Informational.',
  'spec.containers[].resources': 'What is set aside for it (requests), and what it may not exceed (limits).',
  'spec.containers[].volumeMounts': 'Which volumes it sees, and where.',
  'spec.containers[].livenessProbe': 'How it is asked whether it still works. If it does not, it is restarted.',
  'spec.containers[].readinessProbe': 'How it is asked whether it may be sent traffic.',
  'spec.containers[].startupProbe': 'How it is asked whether it has started. The other probes wait for that.',
  'spec.containers[].lifecycle': 'What is done after its start and before its end.',
  'spec.containers[].securityContext': 'User, privileges and confinement of this container.',
  'spec.containers[].restartPolicy': 'Of this container, in place of the pod’s.',
  'status.phase': 'Where the pod is in its life: Pending, Running, Succeeded, Failed or Unknown.',
  'status.conditions': 'What holds of the pod, and since when.',
  'status.podIP': 'Its address in the cluster.',
  'status.hostIP': 'The address of its node.',
  'status.startTime': 'When the node took it on.',
  'status.containerStatuses': 'What each container is doing, and how its last run ended.',
  'status.qosClass': 'How it fares when its node runs short: Guaranteed, Burstable or BestEffort.',
};

const MORE_CONTAINERS = /^spec\.(?:initContainers|ephemeralContainers)\[\]/;

export function fieldDescription(kind: string, path: string): string | undefined {
  const ofKind = kind === 'Pod' ? own(ofPods, path.replace(MORE_CONTAINERS, 'spec.containers[]')) : undefined;
  return ofKind ?? own(ofAll, path);
}
