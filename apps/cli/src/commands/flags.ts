import { reportFormats } from "@rollcall/report"
import * as Flag from "effect/cli/Flag"

/** A flag that may be left out. */
export const text = (name: string, about: string) => Flag.String(name).pipe(Flag.withDescription(about), Flag.optional)

/** --output of what a person or a program reads. */
export const output = Flag.Literals("output", ["table", "json"]).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("table for a person, json for a program"),
  Flag.withDefault("table" as const)
)

/** --output of a report; `ndjson`: what is said of that form. */
export const reportOutput = (ndjson: string) =>
  Flag.Literals("output", reportFormats).pipe(
    Flag.withAlias("o"),
    Flag.withDescription(
      `table for a person, html for a page with pictures, json or yaml for the whole result, ${ndjson}`
    ),
    Flag.withDefault("table" as const)
  )

/** Flags of the plans that go by what a kubelet is configured to do. */
export const kubeletPlanFlags = {
  config: Flag.String("config").pipe(Flag.withDescription("the kubelet's configuration file (KubeletConfiguration)")),
  configDir: Flag.String("config-dir").pipe(
    Flag.withDescription("the folder of its drop-ins (*.conf), as the kubelet's --config-dir"),
    Flag.withDefault("")
  ),
  node: text("node", "the node, where there are pods of several"),
  release: text("release", "the Kubernetes release (default: 1.36)"),
  output
}
