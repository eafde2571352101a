import { flag, optional } from "@rollcall/flags"
import { kubeletFlagSet } from "@rollcall/kubelet/flags"
import {
  clientFlags,
  commonFlags,
  ignoredEverywhere,
  ignoredProxyFlags,
  ignoredSecureFlags,
  layersFlag
} from "../flags/common.ts"

import { componentGrammar, type Program } from "../flags/Program.ts"

const { kubeconfig, context, master } = clientFlags

const port = optional(flag.integer(0, "the port of /healthz and /metrics, overrides --healthz-port; 0 for none"))

/** The command line of a kubelet, or of a fleet of them. */
export const kubeletProgram = {
  name: "kubelet",
  about:
    "Run one kubelet with modelled pods, on a modelled machine or (--host linux) on this one, as the user of its kubeconfig. With --nodes, run a fleet of kubelets; the user impersonates each of them.",
  flags: {
    ...kubeletFlagSet,
    kubeconfig,
    context,
    master,
    config: flag.text("", "a KubeletConfiguration file; flags override it"),
    "config-dir": flag.text("", "a folder of drop-ins (*.conf), merged over the file in lexical order"),
    nodes: flag.integer(0, "the number of kubelets in the fleet, unless the cluster has a ConfigMap rollcall-fleet"),
    zones: flag.integer(1, "the number of zones to spread the fleet over"),
    fleet: flag.text(
      "",
      "run a part of this fleet, whose other parts other processes run: its nodes FLEET-0, FLEET-1, …"
    ),
    offset: flag.integer(0, "--fleet: the number of the first node that this process runs"),
    count: optional(flag.integer(0, "--fleet: how many nodes this process runs (default: all from --offset on)")),
    zone: flag.text("", "--fleet: the zone of a new fleet (default: zone-FLEET)"),
    scenario: flag.text("", "a scenario file: runs a fleet of its nodes, creates its objects and plays its events"),
    seed: flag.integer(1, "the seed of the random numbers"),
    host: flag.oneOf(["modelled", "linux"], "modelled", "the machine of the kubelet: modelled, or this Linux machine"),
    "root-dir": flag.text("/var/lib/kubelet", "the folder of the state of a kubelet on this machine"),
    "node-sockets": flag.boolean(
      false,
      "serve the sockets of device plugins, DRA drivers and pod resources below --root-dir (--host linux)"
    ),
    "logind-root": flag.text("", "the folder below which logind's configuration lies, instead of /", { hidden: true }),
    "bind-address": flag.text("", "the address of /healthz and /metrics, overrides --healthz-bind-address"),
    "secure-port": port,
    "api-servers": flag.texts("the address of the API server, instead of a kubeconfig; releases up to 1.7"),
    version: flag.boolean(false, "print the version and exit"),
    ...layersFlag,
    ...commonFlags
  },
  ignored: [...ignoredEverywhere, ...ignoredProxyFlags, ...ignoredSecureFlags],
  ...componentGrammar
} satisfies Program
