import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { memberArgs } from "@rollcall/store-etcd/testing"
import { freePort } from "../server/programs.ts"

/** A member of etcd that writes to disk before it answers. */
export interface RunningEtcd {
  readonly url: string
  readonly processId: number
  readonly stop: () => Promise<void>
}

const LIMIT_MS = 20_000
const POLL_MS = 50

const isHealthy = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/health`)).ok
  } catch {
    return false
  }
}

export const startEtcd = async (): Promise<RunningEtcd> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-etcd-"))
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`) as [
    string,
    string
  ]
  const args = memberArgs({ name: "one", folder, clientUrl: client, peerUrl: peer })
  const child = spawn("etcd", args, { stdio: "ignore" })
  const stop = async () => {
    child.kill("SIGKILL")
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
    rmSync(folder, { recursive: true, force: true })
  }
  const from = performance.now()
  while (!(await isHealthy(client))) {
    if (child.exitCode !== null || performance.now() - from > LIMIT_MS) {
      await stop()
      throw new Error("etcd did not start")
    }
    await sleep(POLL_MS)
  }
  return { url: client, processId: child.pid ?? 0, stop }
}
