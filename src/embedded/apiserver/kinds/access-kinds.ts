import { list, object } from '../../../kube/manifest/decode-shape.ts';
import { own } from '../../../kube/text/own.ts';
import { ACCESS_GROUP } from '../access/access-group.ts';
import { refuseBinding, refuseRole } from '../access/refuse-escalation.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf, textOf } from '../store/api-object.ts';
import { invalidValue, required, unsupportedValue } from '../store/field-causes.ts';
import type { StatusCause } from '../store/refusal.ts';
import { labelSelector, topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

const rules = list(
  object({
    verbs: list('string'),
    apiGroups: list('string'),
    resources: list('string'),
    resourceNames: list('string'),
    nonResourceURLs: list('string'),
  }),
);
const subjects = list(object({ kind: 'string', apiGroup: 'string', name: 'string', namespace: 'string' }));
const roleRef = object({ apiGroup: 'string', kind: 'string', name: 'string' });

const itemsOf = (object: ApiObject, member: string): readonly unknown[] => {
  const items = own(object, member);
  return Array.isArray(items) ? items : [];
};

/** A rule is for resources or for paths, never for both; rules for paths are for ClusterRoles only. */
function badRules(role: ApiObject): readonly StatusCause[] {
  return itemsOf(role, 'rules').flatMap((rule, index) => {
    const has = (member: string): boolean => {
      const items = isMembers(rule) ? own(rule, member) : undefined;
      return Array.isArray(items) && items.length > 0;
    };
    const at = `rules[${index}]`;
    if (!has('verbs')) return [required(`${at}.verbs`, 'verbs must contain at least one value')];
    if (has('nonResourceURLs')) {
      if (role.kind === 'Role') {
        return [invalidValue(`${at}.nonResourceURLs`, [], 'namespaced rules cannot apply to non-resource URLs')];
      }
      if (!has('apiGroups') && !has('resources') && !has('resourceNames')) return [];
      const why = 'rules cannot apply to both regular resources and non-resource URLs';
      return [invalidValue(`${at}.nonResourceURLs`, [], why)];
    }
    return [
      ...(has('apiGroups') ? [] : [required(`${at}.apiGroups`, 'resource rules must supply at least one api group')]),
      ...(has('resources') ? [] : [required(`${at}.resources`, 'resource rules must supply at least one resource')]),
    ];
  });
}

function badBinding(binding: ApiObject): readonly StatusCause[] {
  const ref = membersOf(binding, 'roleRef');
  const kinds = binding.kind === 'RoleBinding' ? ['ClusterRole', 'Role'] : ['ClusterRole'];
  return [
    ...(ref['apiGroup'] === ACCESS_GROUP
      ? []
      : [unsupportedValue('roleRef.apiGroup', ref['apiGroup'], [ACCESS_GROUP])]),
    ...(kinds.includes(textOf(ref['kind'])) ? [] : [unsupportedValue('roleRef.kind', ref['kind'], kinds)]),
    ...(textOf(ref['name']) === '' ? [required('roleRef.name')] : []),
    ...itemsOf(binding, 'subjects').flatMap((subject, index) => badSubject(subject, `subjects[${index}]`)),
  ];
}

function badSubject(subject: unknown, at: string): readonly StatusCause[] {
  if (!isMembers(subject)) return [];
  const kind = textOf(subject['kind']);
  if (!subjectKinds.includes(kind)) return [unsupportedValue(`${at}.kind`, kind, subjectKinds)];
  if (textOf(subject['name']) === '') return [required(`${at}.name`)];
  if (kind === 'ServiceAccount' && textOf(subject['namespace']) === '') return [required(`${at}.namespace`)];
  return [];
}

const subjectKinds = ['ServiceAccount', 'User', 'Group'];

/** The subjects of a binding may change; its role never: a new binding is made for that. */
function changedRole(binding: ApiObject, old: ApiObject): readonly StatusCause[] {
  const refOf = (each: ApiObject): string => {
    const { apiGroup, kind, name } = membersOf(each, 'roleRef');
    return JSON.stringify([apiGroup, kind, name]);
  };
  if (refOf(binding) === refOf(old)) return [];
  return [invalidValue('roleRef', binding['roleRef'], 'cannot change roleRef')];
}

/** Fills in the API groups that a binding may omit. */
function withGroups(binding: ApiObject): ApiObject {
  const ref = membersOf(binding, 'roleRef');
  const named = itemsOf(binding, 'subjects').map((subject) =>
    isMembers(subject) && ['User', 'Group'].includes(textOf(subject['kind']))
      ? { ...subject, apiGroup: textOf(subject['apiGroup']) || ACCESS_GROUP }
      : subject,
  );
  return {
    ...binding,
    roleRef: { ...ref, apiGroup: textOf(ref['apiGroup']) || ACCESS_GROUP },
    ...(binding['subjects'] !== undefined && { subjects: named }),
  };
}

const common = { group: ACCESS_GROUP, version: 'v1' } as const;
const ofRoles = { rules: { validate: badRules, admit: refuseRole } } as const;
const ofBindings = {
  shape: topLevel({ subjects, roleRef }),
  rules: {
    prepareCreate: withGroups,
    prepareUpdate: withGroups,
    validate: badBinding,
    admit: refuseBinding,
    validateUpdate: changedRole,
  },
} as const;

export const clusterRoleKind = defineKind({
  ...common,
  ...ofRoles,
  shape: topLevel({ rules, aggregationRule: object({ clusterRoleSelectors: list(labelSelector) }) }),
  kind: 'ClusterRole',
  resource: 'clusterroles',
  namespaced: false,
});
export const clusterRoleBindingKind = defineKind({
  ...common,
  ...ofBindings,
  kind: 'ClusterRoleBinding',
  resource: 'clusterrolebindings',
  namespaced: false,
});
export const roleKind = defineKind({
  ...common,
  ...ofRoles,
  shape: topLevel({ rules }),
  kind: 'Role',
  resource: 'roles',
  namespaced: true,
});
export const roleBindingKind = defineKind({
  ...common,
  ...ofBindings,
  kind: 'RoleBinding',
  resource: 'rolebindings',
  namespaced: true,
});

/** Kinds of role-based access control. */
export const accessKinds = [clusterRoleKind, clusterRoleBindingKind, roleKind, roleBindingKind];
