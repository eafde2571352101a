import { errorText } from "../handledErrors.ts"

export type HealthEndpoint = "healthz" | "livez" | "readyz"

/** A check of a health endpoint. */
export interface HealthCheck {
  /** The name in responses, and in the path of the check: `/readyz/ping`. */
  readonly name: string
  /** Returns why the process is not healthy or ready; undefined if it is. */
  readonly problem: () => string | undefined
}

/** Returns the checks of an endpoint. */
export type HealthChecks = (endpoint: HealthEndpoint) => ReadonlyArray<HealthCheck>

/** The check that succeeds whenever the process can respond. */
export const ping: HealthCheck = { name: "ping", problem: () => undefined }

const PATH = /^\/(healthz|livez|readyz)(?:\/([^/]+))?$/

export const isHealthPath = (path: string): boolean => PATH.test(path)

/** Runs a check; a check that throws has failed. */
const runCheck = ({ problem }: HealthCheck): string | undefined => {
  try {
    return problem()
  } catch (error) {
    return errorText(error)
  }
}

interface HealthAnswer {
  readonly code: number
  readonly body: string
  /** The failed checks with their reasons, which the response for all checks withholds; absent if none failed. */
  readonly failed?: string
}

/** The parameters of a request for the health. */
export interface HealthQuery {
  /** The names of checks that are left out. */
  readonly exclude?: ReadonlyArray<string>
  readonly verbose?: boolean
}

/** Is told the result of each check that runs. */
export type CheckRecorder = (name: string, endpoint: HealthEndpoint, isHealthy: boolean) => void

const answerOfOne = (
  name: string,
  endpoint: HealthEndpoint,
  checks: ReadonlyArray<HealthCheck>,
  record: CheckRecorder
): HealthAnswer => {
  const check = checks.find((candidate) => candidate.name === name)
  if (check === undefined) return { code: 404, body: "404 page not found\n" }
  const problem = runCheck(check)
  record(name, endpoint, problem === undefined)
  return problem === undefined
    ? { code: 200, body: "ok" }
    : { code: 500, body: `internal server error: ${problem}\n`, failed: `[-]${name} failed: ${problem}` }
}

const quotedNames = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(",")

/**
 * Returns the response of a health path: for all checks except those in `exclude`, or for the one in the path, which
 * also includes why it failed. Without checks there is only ping. Upstream: apiserver/pkg/server/healthz/healthz.go.
 */
export const healthAnswer = (
  path: string,
  { exclude = [], verbose = false }: HealthQuery,
  checks: HealthChecks,
  record: CheckRecorder = () => {}
): HealthAnswer => {
  const [, kind = "healthz", name] = PATH.exec(path) ?? []
  const endpoint = kind as HealthEndpoint
  const given = checks(endpoint)
  const all = given.length === 0 ? [ping] : given
  if (name !== undefined) return answerOfOne(name, endpoint, all, record)
  const excluded = new Set(exclude)
  let lines = ""
  const failed: Array<string> = []
  for (const check of all) {
    if (excluded.delete(check.name)) {
      lines += `[+]${check.name} excluded: ok\n`
      continue
    }
    const problem = runCheck(check)
    record(check.name, endpoint, problem === undefined)
    lines += problem === undefined ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`
    if (problem !== undefined) failed.push(`[-]${check.name} failed: ${problem}`)
  }
  if (excluded.size > 0) {
    lines += `warn: some health checks cannot be excluded: no matches for ${quotedNames([...excluded].sort())}\n`
  }
  if (failed.length > 0) return { code: 500, body: `${lines}${kind} check failed\n`, failed: failed.join("\n") }
  return { code: 200, body: verbose ? `${lines}${kind} check passed\n` : "ok" }
}
