import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseGoDuration } from '../kube/text/go-duration.ts';
import { readTextSync } from '../host/read-regular-file.ts';
import { parseYaml } from '../kube/text/parse-yaml.ts';
import { placeOf } from '../pod/image/image-credentials.ts';
import type { TokenAttributes } from './provider-account.ts';
import { messageOf } from '../kube/text/message-of.ts';

/** A program that provides the logins of some registries (kubelet credential provider, KEP-2133). */
export interface CredentialProvider {
  /** The name of the program in the folder of providers. */
  readonly name: string;
  /** The places whose images it is asked for, see `fits`. */
  readonly places: readonly string[];
  /** How long an answer is valid when it does not say so itself. */
  readonly defaultCacheMs: number;
  /** The version of the requests it understands. */
  readonly apiVersion: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** When absent, the provider is asked on behalf of the node. */
  readonly token?: TokenAttributes;
}

export type ProvidersOutcome =
  | { readonly ok: true; readonly providers: readonly CredentialProvider[] }
  | { readonly ok: false; readonly problems: readonly string[] };

export const PROVIDER_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version) => `credentialprovider.kubelet.k8s.io/${version}`,
);
const CONFIG_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `kubelet.config.k8s.io/${version}`);

/** Reads the file of providers, or all files of a folder in the order of their names. Never throws. */
export function readCredentialProviders(path: string): ProvidersOutcome {
  try {
    const files = statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => /\.(json|ya?ml)$/.test(name))
          .toSorted()
          .map((name) => join(path, name))
      : [path];
    if (files.length === 0) return { ok: false, problems: [`${path} holds no .json, .yaml or .yml file`] };
    const read = files.map((file) => providersIn(readTextSync(file), basename(file)));
    const problems = read.flatMap((each) => (each.ok ? [] : each.problems));
    const providers = read.flatMap((each) => (each.ok ? each.providers : []));
    const twice = providers.find(({ name }, index) => providers.findIndex((each) => each.name === name) < index);
    if (twice !== undefined) problems.push(`provider ${JSON.stringify(twice.name)} is configured twice`);
    return problems.length > 0 ? { ok: false, problems } : { ok: true, providers };
  } catch (error) {
    return { ok: false, problems: [messageOf(error)] };
  }
}

/** Parses the providers of one file's text; `file` is named in problems. */
export function providersIn(text: string, file: string): ProvidersOutcome {
  const parsed = parseYaml(text, { reading: { prettyErrors: true } });
  if (!parsed.ok) return { ok: false, problems: [`${file}: ${parsed.problem}`] };
  const config = record(parsed.value);
  const { apiVersion, kind, providers: listed } = config;
  if (kind !== 'CredentialProviderConfig' || !CONFIG_VERSIONS.includes(textIn(apiVersion)))
    return { ok: false, problems: [`${file}: not a CredentialProviderConfig of ${CONFIG_VERSIONS.join(', ')}`] };
  const list: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const problems: string[] = list.length === 0 ? [`${file}: providers: at least 1 is needed`] : [];
  const providers = list.map((each, index) =>
    provider(record(each), (where, problem) => problems.push(`${file}: providers[${index}]${where}: ${problem}`)),
  );
  return problems.length > 0 ? { ok: false, problems } : { ok: true, providers };
}

function provider(
  spec: Readonly<Record<string, unknown>>,
  problem: (where: string, text: string) => void,
): CredentialProvider {
  const name = textIn(spec['name']);
  if (name === '' || name === '.' || name === '..' || /[\s/\\]/.test(name))
    problem('.name', 'must name a program, without path and spaces');
  const apiVersion = textIn(spec['apiVersion']);
  if (!PROVIDER_VERSIONS.includes(apiVersion)) problem('.apiVersion', `must be one of ${PROVIDER_VERSIONS.join(', ')}`);
  const images = strings(spec['matchImages']);
  if (images.length === 0) problem('.matchImages', 'at least 1 is needed');
  const places = images.map((image) => placeOf(image));
  places.forEach((place, index) => {
    if (place === undefined) problem(`.matchImages[${index}]`, `${JSON.stringify(images[index])} names no registry`);
  });
  const cacheMs = parseGoDuration(textIn(spec['defaultCacheDuration']));
  if (cacheMs === undefined || cacheMs < 0) problem('.defaultCacheDuration', 'must be a duration of zero or more');
  const attributes = spec['tokenAttributes'];
  const token =
    attributes === undefined || attributes === null ? undefined : tokenAttributes(record(attributes), problem);
  if (token !== undefined && apiVersion !== PROVIDER_VERSIONS[0])
    problem('.tokenAttributes', `requires apiVersion ${PROVIDER_VERSIONS[0] ?? ''}`);
  const env = Array.isArray(spec['env']) ? spec['env'].map(record) : [];
  return {
    name,
    places: places.filter((place) => place !== undefined),
    defaultCacheMs: cacheMs ?? 0,
    apiVersion,
    args: strings(spec['args']),
    env: Object.fromEntries(env.map((each) => [textIn(each['name']), textIn(each['value'])])),
    ...(token !== undefined && { token }),
  };
}

function tokenAttributes(
  spec: Readonly<Record<string, unknown>>,
  problem: (where: string, text: string) => void,
): TokenAttributes {
  const wrong = (where: string, text: string): void => problem(`.tokenAttributes${where}`, text);
  const audience = textIn(spec['serviceAccountTokenAudience']);
  if (audience === '') wrong('.serviceAccountTokenAudience', 'is needed');
  const cacheType = textIn(spec['cacheType']);
  if (cacheType !== 'ServiceAccount' && cacheType !== 'Token') wrong('.cacheType', 'must be ServiceAccount or Token');
  const isRequired = spec['requireServiceAccount'];
  if (typeof isRequired !== 'boolean') wrong('.requireServiceAccount', 'must be true or false');
  const requiredAnnotations = strings(spec['requiredServiceAccountAnnotationKeys']);
  const optionalAnnotations = strings(spec['optionalServiceAccountAnnotationKeys']);
  if (isRequired === false && requiredAnnotations.length > 0)
    wrong('.requiredServiceAccountAnnotationKeys', 'must be empty unless requireServiceAccount is true');
  const all = [...requiredAnnotations, ...optionalAnnotations];
  const twice = all.find((name, index) => all.indexOf(name) < index);
  if (twice !== undefined) wrong('.optionalServiceAccountAnnotationKeys', `${JSON.stringify(twice)} appears twice`);
  return {
    audience,
    cacheType: cacheType === 'Token' ? 'Token' : 'ServiceAccount',
    isRequired: isRequired === true,
    requiredAnnotations,
    optionalAnnotations,
  };
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textIn) : []);

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
