/** The parts of a server's output that depend on the run: a case's namespace, the server's address, the time, generated names. */
export interface Surroundings {
  readonly namespace: string
  readonly server: string
  readonly nowMs: number
  readonly generated: ReadonlyArray<string>
}

/** Kubernetes' alphabet of random names: no vowels, no ambiguous characters. */
const SAFE = "[bcdfghjklmnpqrstvwxz2456789]"
const NEAR_MS = 3 * 86_400_000

export const DURATION = "(?:\\d+y)?(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?"

/** Matches an age in a cell, including Events' "(x3 over 5m)". */
export const ageCell = new RegExp(`^(?=\\d)${DURATION}(?: \\(x\\d+ over (?=\\d)${DURATION}\\))?$`)

type Rule = readonly [pattern: RegExp, replacement: string]

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const timestamps: ReadonlyArray<RegExp> = [
  /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g,
  /([A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d) [+-]\d{4}/g,
  /(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d+)? [+-]\d{4}(?: [A-Z]+)?/g
]

/** In order: later rules may rely on the replacements of earlier ones. */
const rules: ReadonlyArray<Rule> = [
  [/^[EWI]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\]/gm, "<KLOG>"],
  [/(previously negative\))\n@@ [^\n]*\n(?:[ +-][^\n]*\n)*/g, "$1\n<DIFF>\n"],
  [/Invalid value: "\{\\"(?:[^"\\]|\\.)*"/g, 'Invalid value: "<OBJECT>"'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<TOKEN>"],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<UID>"],
  [/(?:\/[\w.-]{1,80}){0,12}\/kubectl-edit-\d+\.yaml/g, "<TMPFILE>"],
  [/(?:\/[\w.-]{1,80}){0,12}\/(LIVE|MERGED)-\d+\//g, "<$1>/"],
  [/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-<SUFFIX>"],
  [/(X509SHA256=)[0-9a-f]+/g, "$1<SHA>"]
]

const templateHash: Rule = [
  new RegExp(`(pod-template-hash|controller-revision-hash)([=:] ?"?(?:[\\w-]*-)?)${SAFE}{6,10}\\b`, "g"),
  "$1$2<HASH>"
]

const generatedRules = (prefix: string): ReadonlyArray<Rule> => {
  const name = `(?<![\\w-])(${escaped(prefix)})`
  return [
    [new RegExp(`${name}${SAFE}{7,10}-${SAFE}{5}(?!\\w)`, "g"), "$1<HASH>-<SUFFIX>"],
    [new RegExp(`${name}${SAFE}{6,10}(?![\\w-])`, "g"), "$1<HASH>"],
    [new RegExp(`${name}${SAFE}{5}(?![\\w-])`, "g"), "$1<SUFFIX>"]
  ]
}

/** Replaces the parts of a text that differ between runs by placeholders. */
export const makePlaceholders = ({ generated, namespace, nowMs, server }: Surroundings) => {
  const all = [...rules, ...generated.flatMap(generatedRules), templateHash]
  const host = new URL(server).host
  const time = (found: string, written: string): string => {
    const at = Date.parse(written.includes(",") ? `${written} GMT` : `${written.replace(" ", "T")}Z`)
    return Math.abs(at - nowMs) < NEAR_MS ? "<TIME>" : found
  }
  return (text: string): string => {
    let result = text
    for (const pattern of timestamps) result = result.replace(pattern, time)
    for (const [pattern, replacement] of all) result = result.replace(pattern, replacement)
    return result.replaceAll(server, "<SERVER>").replaceAll(host, "<HOST>").replaceAll(namespace, "<NS>")
  }
}

export type Placeholders = ReturnType<typeof makePlaceholders>
