import { flag, optional } from "@rollcall/flags"
import { kubeletFlagSet } from "@rollcall/kubelet/flags"
import { clientFlags, commonFlags, ignoredEverywhere, layersFlag } from "../flags/common.ts"

import { componentGrammar, type Program } from "../flags/Program.ts"

const { kubeconfig, context, master } = clientFlags

const port = optional(flag.integer(0, "the port of /healthz and /metrics, instead of --healthz-port; 0 for none"))

/** The command line of a kubelet, or of a fleet of them. */
export const kubeletProgram = {
  name: "kubelet",
  about:
    "Runs kubelets, whose pods are modelled: one, which is whom its kubeconfig names, on a machine that is made up or (--host linux) on this one; or with --nodes a fleet, each member of which its user impersonates.",
  flags: {
    ...kubeletFlagSet,
    kubeconfig,
    context,
    master,
    config: flag.text("", "a KubeletConfiguration file; flags count more"),
    "config-dir": flag.text("", "a folder of drop-ins, *.conf, that are merged over the file in lexical order"),
    nodes: flag.integer(
      0,
      "a fleet of so many, as long as the cluster's ConfigMap rollcall-fleet does not say otherwise"
    ),
    zones: flag.integer(1, "spread the fleet over so many zones"),
    scenario: flag.text("", "a scenario file: a fleet of its nodes; its objects are created and its events happen"),
    seed: flag.integer(1, "the seed of all chance"),
    host: flag.oneOf(
      ["modelled", "linux"],
      "modelled",
      "the machine: one that is made up, or the one that this runs on"
    ),
    "root-dir": flag.text("/var/lib/kubelet", "where a kubelet on this machine keeps what outlives it"),
    "logind-root": flag.text("", "the folder below which logind's configuration lies, instead of /", { hidden: true }),
    "bind-address": flag.text("", "the address of /healthz and /metrics, instead of --healthz-bind-address"),
    "secure-port": port,
    "api-servers": flag.texts("the API server's address, without a kubeconfig's; a flag of release 1.4 only"),
    version: flag.boolean(false, "print the version and exit"),
    ...layersFlag,
    ...commonFlags
  },
  ignored: ignoredEverywhere,
  ...componentGrammar
} satisfies Program
