import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type ManifestReading, watchManifests } from "../../src/host/index.ts"
import { parseManifest, parseManifests } from "../../src/host/manifests/parseManifest.ts"
import { readAtMost } from "../../src/host/manifests/readAtMost.ts"
import { readManifests } from "../../src/host/manifests/readManifests.ts"

const pod = (name: string, more = ""): string => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers:
    - name: main
      image: registry.example/${name}:1
${more}`

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "manifests-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const names = ({ manifests }: ManifestReading) => manifests.map((each) => each.pod.metadata.name)

describe("a manifest", () => {
  const failure = (text: string) => Result.merge(Result.map(parseManifest(text), ({ metadata }) => metadata.name))

  it("is a pod in YAML or JSON, as it is written", () => {
    const fromYaml = Result.getOrThrow(parseManifest(pod("web")))
    assert.deepStrictEqual(fromYaml, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web" },
      spec: { containers: [{ name: "main", image: "registry.example/web:1" }] }
    })
    assert.deepStrictEqual(Result.getOrThrow(parseManifest(JSON.stringify(fromYaml))), fromYaml)
  })

  it("is refused with a reason when it is invalid", () => {
    assert.match(String(failure("a: [")), /^yaml: /)
    assert.strictEqual(
      failure("apiVersion: apps/v1\nkind: Deployment"),
      'kind "Deployment" in version "apps/v1" is not a pod'
    )
    assert.strictEqual(failure(""), "Object 'Kind' is missing")
    assert.match(String(failure("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: 7}")), /containers/)
    assert.strictEqual(
      failure("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {}"),
      "invalid pod: spec.containers: Required value"
    )
  })

  it("may not reference API objects", () => {
    const refused: ReadonlyArray<readonly [string, string]> = [
      ["  serviceAccountName: robot", "serviceaccounts"],
      ["  imagePullSecrets: [{name: key}]", "secrets"],
      ["      envFrom: [{configMapRef: {name: c}}]", "configmaps"],
      ["      env: [{name: A, valueFrom: {secretKeyRef: {name: c, key: k}}}]", "secrets"],
      ["  volumes: [{name: v, configMap: {name: c}}]", "configmaps"],
      ["  volumes: [{name: v, projected: {sources: [{secret: {name: c}}]}}]", "secrets"],
      ["  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]", "persistentvolumeclaims"]
    ]
    for (const [more, kind] of refused)
      assert.strictEqual(failure(pod("x", more)), `static pods may not reference ${kind}`)
    assert.strictEqual(failure(pod("x", "  volumes: [{name: v, hostPath: {path: /etc}}]")), "x")
  })

  it("of a web server may be a list", () => {
    const item = '{"metadata":{"name":"NAME"},"spec":{"containers":[{"name":"m","image":"i"}]}}'
    const list = `{"apiVersion":"v1","kind":"PodList","items":[${item.replace("NAME", "a")},${item.replace("NAME", "b")}]}`
    const found = Result.getOrThrow(parseManifests(list))
    assert.deepStrictEqual(
      found.map(({ kind, metadata }) => [kind, metadata.name]),
      [
        ["Pod", "a"],
        ["Pod", "b"]
      ]
    )
    assert.isTrue(Result.isFailure(parseManifests(list.replace('"image":"i"', '"image":7'))))
  })
})

describe("a folder of manifests", () => {
  it.effect("is read in the order of names, without hidden files and folders; broken files are reported", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFolder
      for (const name of ["b", "a", "C"]) writeFileSync(join(path, `${name}.yaml`), pod(name.toLowerCase()))
      writeFileSync(join(path, ".hidden.yaml"), pod("hidden"))
      writeFileSync(join(path, "broken.yaml"), "kind: [")
      mkdirSync(join(path, "sub"))
      writeFileSync(join(path, "sub", "d.yaml"), pod("d"))
      const reading = readManifests(path)
      assert.deepStrictEqual(
        reading.manifests.map(({ kind, source }) => [source, kind]),
        ["C", "a", "b"].map((name) => [join(path, `${name}.yaml`), "file"])
      )
      assert.deepStrictEqual(
        reading.problems.map(({ source }) => source),
        [join(path, "broken.yaml"), join(path, "sub")]
      )
      assert.match(reading.problems[0]?.message ?? "", /^couldn't parse as pod\(yaml: .*\), please check config file$/s)
      assert.strictEqual(reading.problems[1]?.message, "not recursing into manifest path")
    })
  )

  it.effect(
    "may contain files that are too long, other entries, or too many: these are reported, and the rest is read",
    () =>
      Effect.gen(function* () {
        const path = yield* temporaryFolder
        writeFileSync(join(path, "a.yaml"), pod("a"))
        writeFileSync(join(path, "long.yaml"), `${pod("long")}\n#`)
        truncateSync(join(path, "long.yaml"), 10 * 1024 * 1024)
        execFileSync("mkfifo", [join(path, "pipe.yaml")])
        symlinkSync("/dev/zero", join(path, "zero.yaml"))
        const reading = readManifests(path)
        assert.deepStrictEqual(names(reading), ["a"])
        const noFile = "manifest path is not a directory or file"
        assert.deepStrictEqual(
          reading.problems.map(({ message, source }) => [basename(source), message]),
          [
            ["long.yaml", "the read limit is reached"],
            ["pipe.yaml", noFile],
            ["zero.yaml", noFile]
          ]
        )
        assert.throws(() => readAtMost(join(path, "pipe.yaml"), 10), noFile)
        assert.throws(() => readAtMost(join(path, "a.yaml"), pod("a").length), "the read limit is reached")
        assert.strictEqual(readAtMost(join(path, "a.yaml"), pod("a").length + 1), pod("a"))
        const crowd = yield* temporaryFolder
        for (let at = 0; at <= 10_000; at++) writeFileSync(join(crowd, `${at}`), "")
        const [problem] = readManifests(crowd).problems
        assert.deepStrictEqual(problem, {
          source: crowd,
          message: "contains more than 10000 entries; no manifest is read"
        })
      })
  )

  it.effect("may be one file, or nothing", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFolder
      const file = join(path, "one.yaml")
      assert.deepStrictEqual(readManifests(file), {
        manifests: [],
        problems: [{ source: file, message: "path does not exist, ignoring" }]
      })
      writeFileSync(file, pod("one"))
      assert.deepStrictEqual(names(readManifests(file)), ["one"])
    })
  )
})

/** Readings in the order of emission. */
const followManifests = (path: string, checkEveryMs: number) =>
  Effect.gen(function* () {
    const readings = yield* Queue.unbounded<ManifestReading>()
    yield* watchManifests(path, checkEveryMs).pipe(
      Stream.runForEach((reading) => Queue.offer(readings, reading)),
      Effect.forkScoped
    )
    return Effect.timeout(Queue.take(readings), "10 seconds")
  })

describe("a watched folder", () => {
  const HOUR = 3_600_000

  it.live("reports files that are added, changed and deleted", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFolder
      writeFileSync(join(path, "a.yaml"), pod("a"))
      const next = yield* followManifests(path, HOUR)
      assert.deepStrictEqual(names(yield* next), ["a"])
      writeFileSync(join(path, "b.yaml"), pod("b"))
      assert.deepStrictEqual(names(yield* next), ["a", "b"])
      writeFileSync(join(path, "new"), pod("a2"))
      renameSync(join(path, "new"), join(path, "a.yaml"))
      assert.deepStrictEqual(names(yield* next), ["a2", "b"])
      rmSync(join(path, "a.yaml"))
      assert.deepStrictEqual(names(yield* next), ["b"])
    })
  )

  it.live("keeps the pod of a file that breaks until the next poll", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFolder
      writeFileSync(join(path, "a.yaml"), pod("a"))
      writeFileSync(join(path, "b.yaml"), pod("b"))
      const next = yield* followManifests(path, 1500)
      assert.deepStrictEqual(names(yield* next), ["a", "b"])
      writeFileSync(join(path, "a.yaml"), "kind: [")
      const broken = yield* next
      assert.deepStrictEqual(names(broken), ["a", "b"])
      assert.deepStrictEqual(
        broken.problems.map(({ source }) => source),
        [join(path, "a.yaml")]
      )
      assert.deepStrictEqual(names(yield* next), ["b"])
    })
  )

  it.live("is found when it is created later", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "later")
      const next = yield* followManifests(path, 50)
      assert.deepStrictEqual(names(yield* next), [])
      mkdirSync(path)
      writeFileSync(join(path, "a.yaml"), pod("a"))
      const first = yield* next
      assert.deepStrictEqual(names(first.manifests.length === 0 ? yield* next : first), ["a"])
    })
  )

  it.live("may be a single file", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "one.yaml")
      writeFileSync(file, pod("one"))
      const next = yield* followManifests(file, HOUR)
      assert.deepStrictEqual(names(yield* next), ["one"])
      writeFileSync(file, pod("two"))
      assert.deepStrictEqual(names(yield* next), ["two"])
    })
  )
})
