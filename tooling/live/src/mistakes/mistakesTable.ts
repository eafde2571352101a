import type { Health, Symptoms } from "./playMistakes.ts"

const LINE = /^([IEW])\d{4} \S+ "((?:[^"\\]|\\.)*)"(.*)$/
const ERR = / err="((?:[^"\\]|\\.)*)"/

const unquoted = (text: string): string => text.replaceAll(/\\(.)/g, "$1")

/** Returns each message of a log once, with its first error. */
export const errorsOf = ({ log }: Pick<Symptoms, "log">): ReadonlyMap<string, string> => {
  const errors = new Map<string, string>()
  for (const line of log) {
    const [, severity, message = "", rest = ""] = LINE.exec(line) ?? []
    if (severity !== "E" || errors.has(message)) continue
    errors.set(message, unquoted(ERR.exec(rest)?.[1] ?? ""))
  }
  return errors
}

/** Returns the node's readiness and its kubelet's Events from the output of `describe node`. */
export const readinessOf = ({ described }: Pick<Symptoms, "described">): string => {
  const ready = described.split("\n").find((line) => /^ {2}Ready /.test(line))
  const [, status = "no such node", , , reason = ""] = ready?.trim().split(/ {2,}/) ?? []
  return `Ready ${status} ${reason}`.trim()
}

const healthText = ({ code, failed }: Health): string =>
  code === 200 ? "ok" : `${code}${failed.map((name) => ` [-]${name}`).join("")}`

/** Returns a Markdown table of the log, the health checks and `describe node` for each mistake. */
export const mistakesTable = (symptoms: ReadonlyArray<Symptoms>): string => {
  const rows = symptoms.map((sight) => {
    const log = [...errorsOf(sight)].map(([message, err]) => `E "${message}" err="${err}"`).join("<br>")
    const { healthz, mistake, program, readyz } = sight
    return `| ${program} | ${mistake} | ${log || "no error"} | ${healthText(healthz)} | ${healthText(readyz)} | ${readinessOf(sight)} |`
  })
  return [
    "| program | mistake | log | /healthz | /readyz | describe node |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows
  ].join("\n")
}
