import type { MetricSample } from "@rollcall/topology"

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

/** Samples in Prometheus' text format. */
export const samplesText = (samples: ReadonlyArray<MetricSample>): string =>
  samples
    .map(({ labels, name, value }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
      return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`
    })
    .join("")
