import type { FamilySnapshot, Sample } from "./snapshot.ts"

const escapeText = (text: string): string =>
  /[\\\n]/.test(text) ? text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n") : text

const escapeValue = (value: string): string =>
  /[\\\n"]/.test(value) ? escapeText(value).replaceAll('"', '\\"') : value

/** From this magnitude on, and below 1e-4, Go prints an exponent. */
const LARGE = 1e6
const SMALL = 1e-4

/** Formats a number as Go's `strconv.FormatFloat(value, 'g', -1, 64)`: `1e+06`, `2.592e+06`, `1e-08`. */
export const goFloat = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return "+Inf"
  if (value === Number.NEGATIVE_INFINITY) return "-Inf"
  const size = Math.abs(value)
  if (size === 0 || (size >= SMALL && size < LARGE) || Number.isNaN(value)) return String(value)
  const [digits = "", exponent = ""] = value.toExponential().split("e")
  const sign = exponent.startsWith("-") ? "-" : "+"
  return `${digits}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`
}

const labelsText = (labels: Sample["labels"], bound?: string): string => {
  if (labels.length === 0 && bound === undefined) return ""
  let text = "{"
  for (const [name, value] of labels) text += `${text.length === 1 ? "" : ","}${name}="${escapeValue(value)}"`
  if (bound !== undefined) text += `${text.length === 1 ? "" : ","}le="${bound}"`
  return `${text}}`
}

const sampleText = (name: string, { labels, timeMs, value }: Sample, hasBuckets: boolean): string => {
  if (typeof value === "number") {
    return `${name}${labelsText(labels)} ${goFloat(value)}${timeMs === undefined ? "" : ` ${timeMs}`}\n`
  }
  const { buckets, count, sum } = value
  let text = ""
  if (hasBuckets) {
    for (const [bound, below] of buckets)
      text += `${name}_bucket${labelsText(labels, goFloat(bound))} ${goFloat(below)}\n`
    text += `${name}_bucket${labelsText(labels, "+Inf")} ${goFloat(count)}\n`
  }
  const plain = labelsText(labels)
  return `${text}${name}_sum${plain} ${goFloat(sum)}\n${name}_count${plain} ${goFloat(count)}\n`
}

/** Formats families in Prometheus' text format 0.0.4, in the given order. */
export const textOf = (families: ReadonlyArray<FamilySnapshot>): string => {
  let text = ""
  for (const { help, name, samples, type } of families) {
    if (help !== undefined) text += `# HELP ${name} ${escapeText(help)}\n`
    text += `# TYPE ${name} ${type}\n`
    for (const sample of samples) text += sampleText(name, sample, type === "histogram")
  }
  return text
}
