import { assert, describe, it } from "@effect/vitest"
import type { Container, Pod } from "@rollcall/api"
import { commandProbesOf, commandRunOf } from "../../src/runtime/command/commandEnd.ts"
import { containerCourseOf } from "../../src/runtime/modelledOutcomes.ts"

const podOf = (container: Partial<Container>): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "ns", uid: "u", annotations: { "batch.kubernetes.io/job-completion-index": "3" } },
  spec: { nodeName: "n", containers: [{ name: "c", image: "i", ...container }] }
})
const endOf = (container: Partial<Container>): string => {
  const pod = podOf(container)
  const { end } = commandRunOf(pod, pod.spec.containers[0])
  return end === undefined ? "runs" : `${end.exitCode} after ${end.afterMs}`
}
const sh = (script: string, container: Partial<Container> = {}): string =>
  endOf({ command: ["/bin/sh", "-c", script], ...container })

const index = { fieldRef: { fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']" } }
const env = [
  { name: "INDEX", valueFrom: index },
  { name: "TWO", value: "2" },
  { name: "WORDS", value: "a b" },
  { name: "TIME", value: "$(TWO)m" },
  { name: "SECRET", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }
]

describe("commandRunOf", () => {
  it("knows how programs end that their arguments decide", () => {
    assert.strictEqual(endOf({ command: ["true"] }), "0 after 0")
    assert.strictEqual(endOf({ command: ["/bin/false"] }), "1 after 0")
    assert.strictEqual(endOf({ command: ["sleep", "1.5"] }), "0 after 1500")
    assert.strictEqual(endOf({ command: ["sleep"], args: ["1m", "2s"] }), "0 after 62000")
    assert.strictEqual(endOf({ command: ["date"] }), "0 after 0")
  })

  it("knows that braces are text in the shells of known images", () => {
    const script = "for i in {1..100}; do echo $i; sleep 0.01; done"
    assert.strictEqual(sh(script, { image: "registry.example/busybox:1.37" }), "0 after 10")
    assert.strictEqual(endOf({ command: ["bash", "-c", script], image: "debian" }), "runs")
    assert.strictEqual(sh(script, { image: "example" }), "runs")
  })

  it("lets init containers run that are known not to end, and ends those of which nothing is known", () => {
    const courseOf = (...command: ReadonlyArray<string>) => {
      const pod = podOf({})
      const init = { name: "i", image: "i", command }
      return containerCourseOf({ ...pod, spec: { ...pod.spec, initContainers: [init] } }, "i", undefined, 0, {}).end
    }
    for (const script of ["tail -f /dev/null", "while true; do sleep 1; done", "sleep infinity"]) {
      assert.isUndefined(courseOf("sh", "-c", script), script)
    }
    assert.deepStrictEqual(courseOf("prepare", "--all"), { afterMs: 0, exitCode: 0 })
    assert.deepStrictEqual(courseOf("false"), { afterMs: 0, exitCode: 1 })
  })

  it("lets other programs run", () => {
    assert.strictEqual(endOf({}), "runs")
    assert.strictEqual(endOf({ args: ["true"] }), "runs")
    assert.strictEqual(endOf({ command: ["nginx", "-g", "daemon off;"] }), "runs")
    assert.strictEqual(endOf({ command: ["sleep", "infinity"] }), "runs")
    assert.strictEqual(endOf({ command: ["toString"] }), "runs")
    assert.strictEqual(endOf({ command: ["sh"], stdin: true }), "runs")
    assert.strictEqual(endOf({ command: ["sh", "-c", "exit $1", "sh", "3"] }), "runs")
  })

  it("follows exits, lists and branches of a script", () => {
    assert.strictEqual(sh("exit 7"), "7 after 0")
    assert.strictEqual(sh("exit 257"), "1 after 0")
    assert.strictEqual(sh("false; exit"), "1 after 0")
    assert.strictEqual(sh("sleep 2 && exit 3; exit 4"), "3 after 2000")
    assert.strictEqual(sh("false && sleep 5 || exit 9"), "9 after 0")
    assert.strictEqual(sh("date; echo Hello from the cluster"), "0 after 0")
    assert.strictEqual(sh("true ||\n exit 2 # no\nexec sleep 4\nexit 5"), "0 after 4000")
    assert.strictEqual(sh("if false; then exit 1; elif [ a = a ]; then exit 2; else exit 3; fi"), "2 after 0")
    assert.strictEqual(sh("if false\nthen exit 1\nfi"), "0 after 0")
    assert.strictEqual(sh("if true; then if test 1 -gt 2; then exit 1; else exit 8; fi; fi"), "8 after 0")
    assert.strictEqual(sh("sleep 3; exit 1", { command: ["bash", "-c"], args: ["sleep 1; exit 6"] }), "6 after 1000")
  })

  it("knows the variables of the container, those of fields of the pod among them", () => {
    const odd = `if [ $(expr $${"{INDEX}"} % 2) -ne 0 ]; then exit 1; else exit 0; fi`
    assert.strictEqual(sh(odd, { env }), "1 after 0")
    assert.strictEqual(sh('X="$TWO"; test "$X" = 2 && exit 5', { env }), "5 after 0")
    assert.strictEqual(sh("exit '$TWO'", { env }), "runs")
    assert.strictEqual(sh('A=1 B=2; [ "$A$B" = 12 ] && exit 6'), "6 after 0")
    assert.strictEqual(sh("TWO=9 sh -c 'exit $TWO'; [ $? = 9 ] && [ $TWO = 2 ] && exit 8", { env }), "8 after 0")
    assert.strictEqual(sh('[ "$WORDS" = "a b" ] && exit 4', { env }), "4 after 0")
    assert.strictEqual(sh('[ -n "$(echo $TWO)" ] && [ ! -z x ] && exit 4', { env }), "4 after 0")
    assert.strictEqual(endOf({ command: ["sleep", "$(TIME)"], env }), "0 after 120000")
    assert.strictEqual(endOf({ command: ["sleep", "$$(TIME)"], env }), "runs")
  })

  it("decides nothing by what it does not know", () => {
    assert.strictEqual(sh("exit $SECRET", { env }), "runs")
    assert.strictEqual(endOf({ command: ["sleep", "$(SECRET)"], env }), "runs")
    assert.strictEqual(sh("exit $UNSET"), "runs")
    assert.strictEqual(sh("[ $WORDS = a ] && exit 1", { env }), "runs")
    assert.strictEqual(sh("exit $(date)"), "runs")
    assert.strictEqual(sh("[ -n \"$(echo -e 'a')\" ] && exit 1"), "runs")
    assert.strictEqual(sh("test -r /data/foo && exit 1"), "runs")
    const scripts = ["while true; do sleep 1; done", "sleep 1 & exit 1", "tail -f /dev/null", "read x; exit 1"]
    for (const script of [
      ...scripts,
      "f() { f; }; f",
      "f() { exit 1; }; f x",
      "exit 1 | true",
      "if true; then exit 1",
      'exit "1'
    ])
      assert.strictEqual(sh(script), "runs")
    assert.strictEqual(sh("exit 1", { command: ["sh", "-ec", "exit 1"] }), "runs")
    assert.strictEqual(sh(`${"if true; then ".repeat(30)}exit 1${"; fi".repeat(30)}`), "runs")
    assert.strictEqual(sh(`exit ${"$(echo ".repeat(30)}1${")".repeat(30)}`), "runs")
    assert.strictEqual(sh(`exit 1;${" ".repeat(10_000)}`), "runs")
  })

  it("follows loops, calculations and redirections", () => {
    assert.strictEqual(sh("i=0; while [ $i -lt 4 ]; do sleep 2; i=$((i + 1)); done; exit $((i * 10))"), "40 after 8000")
    assert.strictEqual(sh("until false; do sleep 1; break; done; exit 3"), "3 after 1000")
    assert.strictEqual(sh("for i in 1 2 3; do [ $i = 2 ] && continue; sleep $i; done"), "0 after 4000")
    assert.strictEqual(sh("echo x > /f; echo y >> /f 2>&1; exit 1"), "1 after 0")
    assert.strictEqual(sh("echo $((7 / 2 - 1)) && exit $(( (1 + 2) * 3 % 5 ))"), "4 after 0")
    assert.strictEqual(sh("exit $((1 / 0))"), "runs")
    assert.strictEqual(sh("i=0; while true; do i=$((i+1)); sleep 1; done"), "runs")
    assert.strictEqual(sh("while sleep 1; do :; done"), "runs")
  })

  it("takes the arguments for the command where an image has no entrypoint", () => {
    assert.strictEqual(endOf({ image: "docker.io/library/busybox:1.28", args: ["sleep", "3"] }), "0 after 3000")
    assert.strictEqual(endOf({ image: "busybox" }), "0 after 0", "a shell without input")
    assert.strictEqual(endOf({ command: ["sh"] }), "0 after 0")
    assert.strictEqual(endOf({ image: "debian:12", stdin: true }), "runs")
    assert.strictEqual(endOf({ image: "nginx", args: ["sleep", "3"] }), "runs")
  })

  it("does not follow texts that double again and again", () => {
    const doubled = Array.from({ length: 40 }, () => "a=$a$a").join(";")
    assert.strictEqual(sh(`a=xx;${doubled}; exit 1`), "runs")
    const chain = Array.from({ length: 40 }, (_, at) => ({ name: `V${at + 1}`, value: `$(V${at})$(V${at})` }))
    assert.strictEqual(sh("exit $V40", { env: [{ name: "V0", value: "1" }, ...chain] }), "runs")
    assert.strictEqual(sh("exit $V2", { env: [{ name: "V0", value: "1" }, ...chain] }), "87 after 0")
  })
})

describe("commandProbesOf", () => {
  const readinessProbe = { httpGet: { port: 8080 } }
  const probeOf = (containers: ReadonlyArray<Partial<Container>>): string => {
    const pod = podOf({})
    const all = containers.map((container, at) => ({ name: `c${at}`, image: "i", ...container }))
    const outcome = commandProbesOf({ ...pod, spec: { ...pod.spec, containers: all } }, all[0])?.readiness
    return outcome === undefined ? "unknown" : outcome.passesFirst ? "passes" : (outcome.failure ?? "fails")
  }

  it("refuses probes over the network where all that a pod runs is known, and serves nothing", () => {
    const sleeping = { command: ["sh", "-c", "while true; do sleep 1; done"], readinessProbe }
    assert.strictEqual(probeOf([sleeping]), "refused")
    assert.strictEqual(probeOf([sleeping, { command: ["sleep", "9"] }]), "refused")
    const agnhost = (...args: ReadonlyArray<string>) => ({ image: "agnhost", args })
    assert.strictEqual(probeOf([sleeping, agnhost("pause")]), "refused")
    assert.strictEqual(probeOf([sleeping, agnhost("liveness")]), "unknown")
    assert.strictEqual(probeOf([sleeping, agnhost("netexec")]), "unknown")
    assert.strictEqual(probeOf([sleeping, {}]), "unknown", "the other may listen")
    assert.strictEqual(probeOf([{ command: ["serve"], readinessProbe }]), "unknown")
    assert.strictEqual(probeOf([{ command: ["sh", "-c", "cat /x; serve"], readinessProbe }]), "unknown")
    const elsewhere = { httpGet: { port: 8080, host: "example.com" } }
    assert.strictEqual(probeOf([{ ...sleeping, readinessProbe: elsewhere }]), "unknown")
  })

  it("has the answer of a redirect to another host", () => {
    const httpGet = { port: 8080, path: "/redirect?loc=http%3A%2F%2F0.0.0.0%2F%3Fa%26b" }
    const pod = podOf({ image: "agnhost", args: ["liveness"], livenessProbe: { httpGet } })
    const { liveness } = commandProbesOf(pod, pod.spec.containers[0]) ?? {}
    assert.strictEqual(liveness?.redirectBody, '<a href="http://0.0.0.0/?a&amp;b">Found</a>.\n\n')
    const broken = { port: 8080, path: "/redirect?loc=%zz" }
    const other = podOf({ image: "agnhost", args: ["liveness"], livenessProbe: { httpGet: broken } })
    assert.isTrue(commandProbesOf(other, other.spec.containers[0])?.liveness?.redirects)
  })

  it("asks a server of agnhost for the service that the probe names", () => {
    const image = "registry.k8s.io/e2e-test-images/agnhost:2.63.0"
    const args = ["grpc-health-checking", "--port=5000", "--service=web"]
    const grpc = (service: string) => ({ image, args, readinessProbe: { grpc: { port: 5000, service } } })
    assert.deepStrictEqual([probeOf([grpc("web")]), probeOf([grpc("")])], ["passes", "fails"])
  })
})
