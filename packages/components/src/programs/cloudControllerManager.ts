import { cloudControllerManagerSettings } from "@rollcall/control-plane"
import { flag } from "@rollcall/flags"
import { settingFlags } from "@rollcall/flags/settings"
import { clientFlags, commonFlags, ignoredEverywhere, layersFlag, leaderFlags, servingFlags } from "../flags/common.ts"
import { cloudControllers, controllersFlag } from "../flags/controllerNames.ts"
import { gatesFlag } from "../flags/featureGates.ts"
import { ignoredByCloudManager, ignoredByManagers } from "../flags/managerIgnored.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"

/** The only cloud that there is. */
export const CLOUD = "modelled"

/** The command line of cloud-controller-manager, with a modelled cloud. */
export const cloudControllerManagerProgram = {
  name: "cloud-controller-manager",
  about:
    "Runs the controllers of a modelled cloud's nodes. Every node's machine runs, but those of which the ConfigMap kube-system/rollcall-cloud says, by the node's name, that they are off or gone.",
  flags: {
    ...clientFlags,
    "cloud-provider": flag.oneOf([CLOUD], CLOUD, "the cloud"),
    "cloud-config": flag.text("", "a file with the fields of a scenario's config.cloudProvider"),
    config: flag.text("", "a CloudControllerManagerConfiguration file; flags count more"),
    ...settingFlags(cloudControllerManagerSettings),
    controllers: controllersFlag(cloudControllers),
    "kube-api-qps": flag.number(20, "requests per second of each controller"),
    "kube-api-burst": flag.integer(30, "requests of each controller at once"),
    "feature-gates": gatesFlag,
    ...leaderFlags("cloud-controller-manager"),
    ...servingFlags(10_258),
    ...layersFlag,
    ...commonFlags
  },
  ignored: [...ignoredEverywhere, ...ignoredByManagers, ...ignoredByCloudManager],
  ...componentGrammar
} satisfies Program
