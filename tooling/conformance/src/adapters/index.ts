import type { Adapters } from "../Adapter.ts"
import { admissionAdapters } from "./admission.ts"
import { apiAdapters } from "./api.ts"
import { autoscalerAdapters } from "./autoscaling.ts"
import { cloudAdapters } from "./cloud.ts"
import { cpuManagerAdapters } from "./cpumanager.ts"
import { cronJobAdapters } from "./cronjob.ts"
import { deletionAdapters } from "./deletion.ts"
import { drainAdapters } from "./drain.ts"
import { errorAdapters } from "./errors.ts"
import { evictionAdapters } from "./eviction.ts"
import { ipamAdapters } from "./ipam.ts"
import { kubeletAdapters } from "./kubelet.ts"
import { kubeletAdmissionAdapters } from "./kubeletAdmission.ts"
import { kubeletEvictionAdapters } from "./kubeletEviction.ts"
import { kubeletFlagAdapters } from "./kubeletFlags.ts"
import { kubeletNodeAdapters } from "./kubeletNode.ts"
import { memoryManagerAdapters } from "./memorymanager.ts"
import { nodeControllerAdapters } from "./node-controller.ts"
import { patchAdapters } from "./patch.ts"
import { applyAdapters } from "./patchApply.ts"
import { podEvictionAdapters } from "./podEviction.ts"
import { printingAdapters } from "./printing.ts"
import { quotaAdapters } from "./quota.ts"
import { resizeAdapters } from "./resize.ts"
import { schedulingAdapters } from "./scheduling.ts"
import { securityAdapters } from "./security.ts"
import { shutdownAdapters } from "./shutdown.ts"
import { topologyAdapters } from "./topology.ts"
import { validationAdapters } from "./validation.ts"
import { workloadAdapters } from "./workloads.ts"

/** The adapters of all implemented subjects. */
export const adapters: Adapters = {
  ...admissionAdapters,
  ...apiAdapters,
  ...applyAdapters,
  ...cloudAdapters,
  ...cpuManagerAdapters,
  ...cronJobAdapters,
  ...deletionAdapters,
  ...drainAdapters,
  ...errorAdapters,
  ...evictionAdapters,
  ...autoscalerAdapters,
  ...ipamAdapters,
  ...kubeletAdapters,
  ...kubeletFlagAdapters,
  ...kubeletAdmissionAdapters,
  ...kubeletEvictionAdapters,
  ...memoryManagerAdapters,
  ...kubeletNodeAdapters,
  ...nodeControllerAdapters,
  ...patchAdapters,
  ...podEvictionAdapters,
  ...printingAdapters,
  ...quotaAdapters,
  ...resizeAdapters,
  ...schedulingAdapters,
  ...securityAdapters,
  ...shutdownAdapters,
  ...topologyAdapters,
  ...validationAdapters,
  ...workloadAdapters
}
