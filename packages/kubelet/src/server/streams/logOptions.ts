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

/** Returns the options of a log, or what is wrong with them. Upstream: pkg/kubelet/server getContainerLogs. */
export const logOptionsOf = (query: Query, nowMs: number): LogOptions | string => {
  const text = (name: string): string | undefined => query.get(name)?.[0]
  const numbers: Record<string, number | undefined> = {}
  for (const name of ["tailLines", "limitBytes", "sinceSeconds"]) {
    const given = text(name)
    if (given === undefined || given === "" || (name === "tailLines" && given === "all")) continue
    if (!/^-?\d{1,15}$/.test(given)) return `Unable to decode the request`
    const number = Number(given)
    if (number < (name === "tailLines" ? 0 : 1)) return `invalid ${name}`
    numbers[name] = number
  }
  const sinceTime = text("sinceTime")
  const { limitBytes, sinceSeconds, tailLines } = numbers
  return {
    follow: isTrue(text("follow")),
    previous: isTrue(text("previous")),
    timestamps: isTrue(text("timestamps")),
    tailLines,
    limitBytes,
    sinceMs: sinceSeconds === undefined ? (sinceTime && parseTime(sinceTime)) || undefined : nowMs - sinceSeconds * 1000
  }
}
