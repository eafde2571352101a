#!/usr/bin/env node
import { parseArgs } from "node:util"
import { benchCost } from "./cost/cost.ts"
import { benchEtcd } from "./etcd/etcd.ts"
import { benchEviction } from "./eviction.ts"
import { benchHttps } from "./https.ts"
import { benchKubelet } from "./kubelet.ts"
import { benchLibraries } from "./libraries.ts"
import { benchOpenb } from "./openb.ts"
import { benchOutageCosts } from "./outageCosts.ts"
import { benchServer } from "./server/server.ts"
import { benchSimulator } from "./simulator.ts"
import { benchStore } from "./store.ts"
import { benchTesting } from "./testing.ts"
import { benchThreads } from "./threads/threads.ts"

const USAGE = `pnpm bench [eviction] [store] [https] [server] [threads] [etcd] [simulator] [kubelet] [testing] [--nodes N] [--pods N] [--kubelets N] [--minutes N] [--outage MINUTES] [--every-heartbeat] [--qps N]… [--seconds N]
pnpm bench cost [TEXT]    how long one request holds the API server, by its size: every kind of body, or those named with TEXT
pnpm bench libraries      what of ours could be a library's, beside that library
pnpm bench openb FILE…    a real cluster's nodes and workloads, as Lists of Kubernetes objects, and an hour without one zone of three

Prints figures and ratios to a floor or a peer in the same run. The simulator runs once for each client limit given
(default: the controllers' own 20/s, then 10,000/s), and then tells the cost of a write, of an eviction and of a pod placed. The server gets --seconds of each load.`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    nodes: { type: "string", default: "5000" },
    pods: { type: "string", default: "30" },
    minutes: { type: "string", default: "60" },
    outage: { type: "string", default: "12" },
    "every-heartbeat": { type: "boolean", default: false },
    qps: { type: "string", multiple: true, default: ["20", "10000"] },
    kubelets: { type: "string", default: "100000" },
    seconds: { type: "string", default: "5" },
    help: { type: "boolean", default: false }
  }
})
if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
const [first, ...files] = positionals
if (first === "libraries") {
  await benchLibraries()
  process.exit(0)
}
if (first === "cost") {
  await benchCost(files[0])
  process.exit(0)
}
if (first === "openb") {
  if (files.length === 0) process.stderr.write(`openb needs files\n\n${USAGE}\n`)
  else await benchOpenb(files)
  process.exit(files.length === 0 ? 2 : 0)
}
const wanted =
  positionals.length === 0
    ? ["eviction", "store", "https", "server", "threads", "etcd", "simulator", "kubelet", "testing"]
    : positionals
for (const name of wanted) {
  if (name === "eviction") await benchEviction()
  else if (name === "store") await benchStore()
  else if (name === "https") await benchHttps()
  else if (name === "testing") await benchTesting()
  else if (name === "threads") await benchThreads()
  else if (name === "kubelet") benchKubelet({ kubelets: Number(values.kubelets) })
  else if (name === "etcd") await benchEtcd({ nodes: Number(values.nodes), seconds: Number(values.seconds) })
  else if (name === "server") {
    await benchServer({ nodes: Number(values.nodes), seconds: Number(values.seconds), pods: 5000 })
  } else if (name === "simulator") {
    for (const qps of values.qps) {
      await benchSimulator({
        nodes: Number(values.nodes),
        podsPerNode: Number(values.pods),
        minutes: Number(values.minutes),
        outageMinutes: Number(values.outage),
        everyHeartbeat: values["every-heartbeat"],
        qps: qps === "20" ? undefined : Number(qps)
      })
    }
    await benchOutageCosts()
  } else {
    process.stderr.write(`no benchmark "${name}"\n\n${USAGE}\n`)
    process.exit(2)
  }
}
