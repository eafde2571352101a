import type { Taint } from "@rollcall/api"
import { type InvalidInput, invalid } from "@rollcall/simulator/input"
import { kubeletSettings } from "@rollcall/simulator/world"
import * as Result from "effect/Result"
import { clientFlags, commonFlags, ignoredEverywhere, servingFlags } from "../flags/common.ts"
import { type Flags, flag } from "../flags/Flag.ts"
import type { Program } from "../flags/parseFlags.ts"
import { settingFlags } from "../flags/settingFlags.ts"

const { kubeconfig, context, master } = clientFlags

/** The command line of a kubelet, or of a fleet of them. */
export const kubeletProgram = {
  name: "kubelet",
  about:
    "Runs kubelets on modelled machines: one, which is whom its kubeconfig names; or with --nodes a fleet, each member of which its user impersonates.",
  flags: {
    kubeconfig,
    context,
    master,
    config: flag.text("", "a KubeletConfiguration file; flags count more"),
    nodes: flag.integer(
      0,
      "a fleet of so many, as long as the cluster's ConfigMap rollcall-fleet does not say otherwise"
    ),
    zones: flag.integer(1, "spread the fleet over so many zones"),
    scenario: flag.text("", "a scenario file: a fleet of its nodes; its objects are created and its events happen"),
    seed: flag.integer(1, "the seed of all chance"),
    "hostname-override": flag.text("", "the node's name (default: the host's)"),
    "node-labels": flag.pairs("labels of the node when it is registered"),
    "register-with-taints": flag.texts("taints of the node when it is registered: key=value:effect"),
    "provider-id": flag.text("", "the cloud's name of the machine"),
    ...settingFlags(kubeletSettings),
    ...servingFlags(10_248),
    ...commonFlags
  },
  ignored: [
    ...ignoredEverywhere,
    "bootstrap-kubeconfig",
    "cgroup-driver",
    "cluster-dns",
    "cluster-domain",
    "container-runtime-endpoint",
    "fail-swap-on",
    "healthz-bind-address",
    "healthz-port",
    "image-credential-provider-bin-dir",
    "image-credential-provider-config",
    "pod-infra-container-image",
    "read-only-port",
    "root-dir",
    "rotate-certificates"
  ]
} satisfies Program<Flags>

const TAINT = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/

/** `key=value:effect`. Upstream: pkg/util/taints ParseTaints. */
export const parseTaints = (texts: ReadonlyArray<string>): Result.Result<ReadonlyArray<Taint>, InvalidInput> => {
  const taints: Array<Taint> = []
  for (const text of texts) {
    const [, key, value, effect] = TAINT.exec(text) ?? []
    if (key === undefined || effect === undefined) {
      const expected = "expected key=value:effect with effect NoSchedule, PreferNoSchedule or NoExecute"
      return Result.fail(
        invalid("command line", "--register-with-taints", `found ${JSON.stringify(text)}, ${expected}`)
      )
    }
    taints.push({ key, effect, ...(value === undefined ? {} : { value }) })
  }
  return Result.succeed(taints)
}
