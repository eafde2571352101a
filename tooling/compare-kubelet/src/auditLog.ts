import { readFileSync } from "node:fs"
import type { KubeletRequest } from "./Life.ts"

/** One line of a genuine API server's audit log, at level RequestResponse. Upstream: audit.k8s.io/v1 Event. */
interface AuditEvent {
  readonly stage: string
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly name?: string }
  readonly requestReceivedTimestamp: string
  readonly requestObject?: unknown
  readonly responseObject?: unknown
  readonly responseStatus?: { readonly code: number }
}

/** One request of the log, at a time of the wall clock in milliseconds. */
export interface LoggedRequest extends KubeletRequest {
  readonly atMs: number
}

const nameOf = (object: unknown): string =>
  (object as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata?.name ?? ""

const requestOf = (event: AuditEvent): LoggedRequest => {
  const { objectRef, requestObject, requestReceivedTimestamp, responseStatus, verb } = event
  const { name, resource = "", subresource } = objectRef ?? {}
  return {
    at: 0,
    atMs: Date.parse(requestReceivedTimestamp),
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    name: name ?? nameOf(requestObject),
    code: responseStatus?.code ?? 0,
    ...(requestObject === undefined ? {} : { body: requestObject })
  }
}

/** Returns the requests of one user in an audit log, in the order in which the server received them. */
export const requestsOfUser = (file: string, username: string): ReadonlyArray<LoggedRequest> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): AuditEvent => JSON.parse(line))
    .filter(({ stage, user }) => stage !== "RequestReceived" && user.username === username)
    .map(requestOf)
    .toSorted((left, right) => left.atMs - right.atMs)
