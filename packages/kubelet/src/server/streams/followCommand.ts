import type { Pod } from "@rollcall/api"
import { anyContainer, prepareRun, runNameOf, type StreamSource, writtenBy } from "./containerRun.ts"
import { changesOf } from "./probesInFiles.ts"
import { RunDriver } from "./RunDriver.ts"
import { TerminationMessage } from "./TerminationMessage.ts"

/** Follows the command of a container: what it writes stays in its files. See `ContainerCommands`. */
export const followCommand = (
  source: StreamSource,
  { metadata }: Pod,
  container: string,
  hasStarted: boolean,
  exited: (exitCode: number, message: string) => void
): (() => void) => {
  const { timers } = source
  const { name = "", namespace = "", uid } = metadata
  let cancel: (() => void) | undefined
  let driver: RunDriver | undefined
  // The kubelet learns of the start, and of the pod's address, after the runtime.
  const timer = timers.after(0, () => {
    const served = source.podNamed(namespace, name)
    if (served === undefined || served.pod.metadata.uid !== uid) return
    const written = source.writtenIn(served.pod, runNameOf(served, container))
    // It is carried out from its beginning again.
    if (hasStarted) written.clear()
    const run = runNameOf(served, container)
    source.keepBeginning(served.pod, run, writtenBy(source, served.pod, run))
    const message = new TerminationMessage(anyContainer(served.pod, container) ?? {})
    const startMs = timers.now()
    const request = { command: undefined, playedRun: undefined, isAttended: false, startMs, hasTerminal: false }
    cancel = prepareRun(source, served, container, request, ({ clock, files, run }) => {
      const changed = changesOf(source, served.pod, files)
      driver = new RunDriver(timers, run, clock, startMs, {
        isFull: () => false,
        output: (_, text) => message.wrote(text),
        waits: () => {
          changed()
          return true
        },
        ended: (status) => {
          if (status !== undefined) exited(status, message.of(written.get(message.path)?.text, status))
        }
      })
      if (anyContainer(served.pod, container)?.stdin !== true) driver.endInput()
      driver.start()
    })
  })
  return () => {
    timers.cancel(timer)
    cancel?.()
    driver?.stop()
  }
}
