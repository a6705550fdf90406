/** A document that describes the API. */
export interface ApiDocument {
  readonly contentType: string;
  readonly body: string | Buffer;
}

export function openApiDocument(_path: string, _accept: string | undefined): ApiDocument | undefined {
  return undefined;
}
