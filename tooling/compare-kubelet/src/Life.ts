import type { ApiRequest } from "@rollcall/cluster"

/** One step of a shape: what an administrator asks of the API server, in seconds since the first step. */
export interface Step {
  readonly at: number
  readonly request: ApiRequest
}

/** A pod and what happens to it, from its creation on. The pod has the shape's name. */
export interface Shape {
  readonly name: string
  /** How long the kubelet is observed, in seconds since the first step. */
  readonly seconds: number
  readonly steps: ReadonlyArray<Step>
}

/** One request of a kubelet, in the form in which the API server's audit log has it. */
export interface KubeletRequest {
  /** Seconds since the first step. */
  readonly at: number
  readonly verb: string
  /** The resource with its subresource: `pods/status`. */
  readonly resource: string
  readonly name: string
  /** The HTTP status of the answer. */
  readonly code: number
  readonly body?: unknown
}

/** A shape, and all requests that a kubelet named `node` made about its pod. */
export interface Life extends Shape {
  readonly node: string
  readonly requests: ReadonlyArray<KubeletRequest>
}

/** What the file of a life has: requests, and whose they are. */
interface Recorded {
  readonly name: string
  readonly node: string
  readonly requests: ReadonlyArray<KubeletRequest>
}

/** Returns the text of a life's file, with a line for each request. */
export const formatLife = ({ requests, ...life }: Recorded): string => {
  const lines = requests.map((request) => `  ${JSON.stringify(request)}`)
  return `{ "life": ${JSON.stringify(life)},\n "requests": [\n${lines.join(",\n")}\n ] }\n`
}

/** Reads what `formatLife` has written. */
export const parseLife = <A extends Recorded = Life>(text: string): A => {
  const { life, requests }: { readonly life: Omit<A, "requests">; readonly requests: A["requests"] } = JSON.parse(text)
  return { ...life, requests } as A
}

/** The name of the node in the steps of shapes. Playing a shape replaces it. */
export const NODE = "<node>"

/** Returns the steps of a shape with its pods bound to this node. */
export const stepsFor = ({ steps }: Shape, node: string): ReadonlyArray<Step> =>
  JSON.parse(JSON.stringify(steps).replaceAll(NODE, node)) as ReadonlyArray<Step>
