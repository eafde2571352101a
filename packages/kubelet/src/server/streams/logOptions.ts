import { parseTime } from "@rollcall/api"

/** What a client asks of a log. Upstream: core/v1 PodLogOptions. */
export interface LogOptions {
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
  /** What was written before is left out. */
  readonly sinceMs: number | undefined
}

type Query = ReadonlyMap<string, ReadonlyArray<string>>

/** Reads a flag of a query as Kubernetes does: it is on unless it says that it is off. */
export const isTrue = (value: string | undefined): boolean =>
  value !== undefined && value !== "0" && value.toLowerCase() !== "false"

/** What is wrong with the options of a log. */
export interface LogOptionsFault {
  readonly code: number
  readonly text: string
}

const undecodable: LogOptionsFault = { code: 400, text: '{"message": "Unable to decode query."}' }
const invalid: LogOptionsFault = { code: 422, text: '{"message": "Invalid request."}' }

const streams: ReadonlySet<string> = new Set(["All", "Stdout", "Stderr"])

/** Returns the options of a log, or what is wrong with them. Upstream: pkg/kubelet/server getContainerLogs. */
export const logOptionsOf = (query: Query, nowMs: number): LogOptions | LogOptionsFault => {
  const text = (name: string): string | undefined => query.get(name)?.[0]
  const numbers: Record<string, number | undefined> = {}
  for (const name of ["tailLines", "limitBytes", "sinceSeconds"]) {
    // The name of the first releases.
    const given = (name === "tailLines" ? text("tail") : undefined) || text(name)
    if (given === undefined || given === "" || (name === "tailLines" && text("tail") === "all")) continue
    if (!/^-?\d{1,15}$/.test(given)) return undecodable
    const number = Number(given)
    if (number < (name === "tailLines" ? 0 : 1)) return invalid
    numbers[name] = number
  }
  const sinceTime = text("sinceTime")
  const { limitBytes, sinceSeconds, tailLines } = numbers
  if (sinceTime && Number.isNaN(parseTime(sinceTime))) return undecodable
  if (sinceTime && sinceSeconds !== undefined) return invalid
  const stream = text("stream")
  if (stream !== undefined && (!streams.has(stream) || (stream !== "All" && tailLines !== undefined))) return invalid
  return {
    follow: isTrue(text("follow")),
    previous: isTrue(text("previous")),
    timestamps: isTrue(text("timestamps")),
    tailLines,
    limitBytes,
    sinceMs: sinceSeconds === undefined ? (sinceTime && parseTime(sinceTime)) || undefined : nowMs - sinceSeconds * 1000
  }
}
