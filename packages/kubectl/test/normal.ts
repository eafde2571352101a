/** Normalizes the texts of a session, like the recordings: replaces what differs between runs. */

const DURATION = "(?:\\d+y)?(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?"
const cellAge = new RegExp(`(^|[ \\n])(?=\\d)${DURATION}(?=\\n|$| {3})`, "g")

const isRecent = (text: string, nowMs: number): boolean => Math.abs(Date.parse(text) - nowMs) < 3 * 86_400_000

export interface NormalizeOptions {
  readonly namespace: string
  readonly nowMs: number
  readonly mask: ReadonlyArray<readonly [pattern: string, replacement: string]>
  readonly sorted: boolean
}

/**
 * Ages, times, uids, revisions and the namespace become placeholders. As placeholders change the width of columns, runs of blanks
 * count alike; that columns line up is tested elsewhere.
 */
export const normalize = (given: string, { mask, namespace, nowMs, sorted }: NormalizeOptions): string => {
  const iso = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z/g
  const long = /([A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d) [+-]\d{4}/g
  const timed = (text: string, pattern: RegExp) =>
    text.replace(pattern, (whole: string, time: string) =>
      isRecent(`${time}Z`.replace(/Z$/, time.includes("T") ? "Z" : " UTC"), nowMs) ? "<TIME>" : whole
    )
  let text = timed(timed(given, iso), long)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<UID>")
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-<SUFFIX>")
    .replaceAll(namespace, "<NS>")
    .replaceAll(/("resourceVersion": ?")\d+(")/g, "$1<RV>$2")
    .replaceAll(/(resourceVersion: ['"]?)\d+/g, "$1<RV>")
    .replaceAll(/(Resource Version: +)\d+/g, "$1<RV>")
    .replaceAll(/"<TIME>"/g, "<TIME>")
    .replaceAll(cellAge, "$1<AGE>")
  for (const [pattern, replacement] of mask)
    text = text.replaceAll(new RegExp(pattern, "g"), replacement.replace(/\\(\d)/g, "$$$1"))
  text = text
    .replaceAll(/(\S)[ \t]{2,}/g, "$1   ")
    .replaceAll(/^-+( {3}-+)*$/gm, "-")
    .replaceAll(/[ \t]+$/gm, "")
  return sorted
    ? text
        .split("\n")
        .filter((line) => line !== "")
        .toSorted()
        .join("\n")
    : text
}
