import { ipamSettings } from "@rollcall/control-plane"
import { flag } from "@rollcall/flags"
import { settingFlags } from "@rollcall/flags/settings"
import { commonFlags, layersFlag } from "../flags/common.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"
import { serverFlags } from "./apiserver.ts"

/**
 * What a cluster in one process gives its nodes for their pods' addresses, unless it is told otherwise: a block for each of
 * 32,768 nodes, beside the Services' 10.96.0.0/12.
 */
export const upIpam = { allocateNodeCIDRs: true, clusterCIDR: "10.128.0.0/9" } as const

/** The command line of a whole cluster in one process. */
export const upProgram = {
  name: "rollcall up",
  about:
    "Brings up a live cluster in this process: API server, controllers, scheduler, and kubelets on modelled machines that heartbeat for real. Ctrl-C ends it.",
  flags: {
    nodes: flag.integer(3, "modelled nodes"),
    zones: flag.integer(1, "spread them over so many zones: zone-a, zone-b, …"),
    config: flag.text(
      "",
      "a scenario file: its nodes, configuration and manifests make the cluster; its events happen"
    ),
    speed: flag.number(1, "how fast time passes: 60 makes a minute a second"),
    port: flag.integer(6443, "the port of the API server; 0 for any free one"),
    seed: flag.integer(1, "the seed of all chance"),
    "merge-kubeconfig": flag.boolean(
      false,
      "add the cluster to ~/.kube/config (or KUBECONFIG) and make it the current one, until it ends: as --name, else rollcall or the first of rollcall-2, … that is free"
    ),
    "exit-when-ready": flag.boolean(false, "end with 0 once all nodes are Ready: for scripts that only want to know"),
    demo: flag.boolean(false, "run a small workload, and say what to try"),
    ...settingFlags(ipamSettings),
    ...serverFlags,
    ...layersFlag,
    ...commonFlags
  },
  ...componentGrammar
} satisfies Program
