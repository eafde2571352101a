import { cloudControllerManagerSettings } from "@rollcall/control-plane"
import { flag } from "@rollcall/flags"
import { settingFlags } from "@rollcall/flags/settings"
import {
  clientFlags,
  commonFlags,
  ignoredEverywhere,
  ignoredProxyFlags,
  layersFlag,
  leaderFlags,
  servingFlags
} from "../flags/common.ts"
import { cloudControllers, controllersFlag } from "../flags/controllerNames.ts"
import { gatesFlag } from "../flags/gatesFlag.ts"
import { ignoredByCloudManager, ignoredByManagers } from "../flags/managerIgnored.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"

/** The only supported cloud provider. */
export const CLOUD = "modelled"

/** The command line of cloud-controller-manager, with a modelled cloud. */
export const cloudControllerManagerProgram = {
  name: "cloud-controller-manager",
  about:
    "Run the node controllers of a modelled cloud. The machine of every node runs unless the ConfigMap kube-system/rollcall-cloud lists it, by node name, as off or gone.",
  flags: {
    ...clientFlags,
    "cloud-provider": flag.oneOf([CLOUD], CLOUD, "the cloud provider"),
    "cloud-config": flag.text("", "a file with the fields of a scenario's config.cloudProvider"),
    config: flag.text("", "a CloudControllerManagerConfiguration file; flags override it"),
    ...settingFlags(cloudControllerManagerSettings),
    controllers: controllersFlag(cloudControllers),
    "kube-api-qps": flag.number(20, "the limit of requests per second of each controller"),
    "kube-api-burst": flag.integer(30, "the burst of requests of each controller"),
    "feature-gates": gatesFlag,
    ...leaderFlags("cloud-controller-manager"),
    ...servingFlags(10_258),
    ...layersFlag,
    ...commonFlags
  },
  ignored: [...ignoredEverywhere, ...ignoredProxyFlags, ...ignoredByManagers, ...ignoredByCloudManager],
  ...componentGrammar
} satisfies Program
