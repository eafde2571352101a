import type { KubeletRequest } from "./Life.ts"

const isAbout = (name: string, { body, name: object, resource }: KubeletRequest): boolean => {
  if (resource !== "events") return object === name
  const { involvedObject } = (body ?? {}) as { readonly involvedObject?: { readonly name?: string } }
  return involvedObject === undefined ? object.startsWith(`${name}.`) : involvedObject.name === name
}

/** Returns the requests about the pod of a shape, about its Events, and about the objects of the same name. */
export const requestsAbout = <A extends KubeletRequest>(name: string, requests: ReadonlyArray<A>): ReadonlyArray<A> =>
  requests.filter((request) => isAbout(name, request))
