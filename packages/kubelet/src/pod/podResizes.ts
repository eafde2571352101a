import type { ResizeMeter } from "../allocation/metrics.ts"
import { ResizeManager } from "../allocation/ResizeManager.ts"
import type { Env } from "../internal/Env.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { PodWorkers } from "./PodWorkers.ts"

/** Makes the manager of the resizes of these pods. */
export const makePodResizes = (
  env: Env,
  host: NodeHost,
  runtime: PodRuntime,
  workers: PodWorkers,
  isReady: () => boolean,
  meter: ResizeMeter | undefined
): ResizeManager =>
  new ResizeManager(
    env,
    host,
    {
      admitResize: (record, decide, failed) => workers.runAdmitHandlers(record, decide, failed, true),
      // A sync that restarts containers reports all of it at its end.
      reportResize: (record) => {
        if (record.lifecycle?.isBusy === true) workers.statusManager.keepPodStatus(record, record.containers)
        else workers.statusManager.setPodStatus(record, record.containers)
      },
      restartContainer: (record, container, message) => {
        const tracked = workers.runtimeManager.lifecycleOf(record).of(container.name)
        if (tracked === undefined) return
        tracked.container = container
        tracked.crashes = undefined
        workers.runtimeManager.replace(record, tracked, message)
      },
      whenResponsive: (request) => (runtime.whenResponsive === undefined ? request() : runtime.whenResponsive(request)),
      isReady,
      guard: (record, act) => workers.guard(record, act)
    },
    meter
  )
