import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { readDockerCfg, readDockerConfigJson } from "../../src/credentials/dockerConfig.ts"
import { Keyring } from "../../src/credentials/Keyring.ts"
import { registryMatches } from "../../src/credentials/registryMatch.ts"
import { nameWithoutTag } from "../../src/images/imageName.ts"
import { matchingCredentials, mergedCredentials, openToAll } from "../../src/images/PullCredentials.ts"
import { PullRecords } from "../../src/images/PullRecords.ts"
import { allowListProblem } from "../../src/images/verificationPolicy.ts"

const users = (registries: Readonly<Record<string, string>>, repository: string): ReadonlyArray<string> => {
  const keyring = new Keyring()
  keyring.add(new Map(Object.entries(registries).map(([key, username]) => [key, { username, password: "p" }])))
  return keyring.lookUp(repository).map(({ username }) => username)
}

describe("the credentials for a repository", () => {
  it("are those of all addresses that match, the longest first", () => {
    const registries = { "quay.io": "host", "https://quay.io/team": "team", "quay.io/other": "other" }
    assert.deepStrictEqual(users(registries, "quay.io/team/app"), ["team", "host"])
    assert.deepStrictEqual(users(registries, "quay.io:5000/team/app"), [])
    assert.deepStrictEqual(users({ "*.example.com": "any" }, "a.example.com/app"), ["any"])
    assert.deepStrictEqual(users({ "*.example.com": "any" }, "a.b.example.com/app"), [])
    assert.deepStrictEqual(users({ "http://localhost:5000/v2/": "port" }, "localhost:5000/app"), ["port"])
  })

  it("are those of Docker Hub for images without a registry", () => {
    const hub = { "https://index.docker.io/v1/": "hub" }
    assert.deepStrictEqual(users(hub, "docker.io/library/nginx"), ["hub"])
    assert.deepStrictEqual(users(hub, "quay.io/library/nginx"), [])
  })

  it("match wildcards as Go matches file names", () => {
    const matches = (pattern: string, repository: string) => registryMatches(pattern, repository)
    assert.isTrue(matches("registry-[12]*.example.com", "registry-1a.example.com/a"))
    assert.isFalse(matches("registry-[^12].example.com", "registry-1.example.com/a"))
    assert.isFalse(matches("registry-[.example.com", "registry-1.example.com"))
    assert.isTrue(matches("example.com/team", "example.com/teams/app"))
    assert.isFalse(matches("example.com/*", "example.com/app"))
  })
})

describe("a docker config", () => {
  it("has user and password, or both in base64", () => {
    const auths = {
      a: { username: "u", password: "p" },
      b: { auth: btoa("u:p:q") },
      c: { auth: btoa("xy:z").replace(/=+$/, "") }
    }
    const read = Result.getOrThrow(readDockerConfigJson(JSON.stringify({ auths })))
    assert.deepStrictEqual(
      Array.from(read.values(), ({ password, username }) => `${username} ${password}`),
      ["u p", "u p:q", "xy z"]
    )
    assert.deepStrictEqual([...Result.getOrThrow(readDockerCfg(JSON.stringify(auths)))].length, 3)
  })

  it("fails with the first entry that cannot be read", () => {
    const failure = (text: string) => Result.getOrThrow(Result.flip(readDockerConfigJson(text)))
    assert.strictEqual(
      failure(JSON.stringify({ auths: { a: { auth: btoa("nobody") } } })),
      "unable to parse auth field, must be formatted as base64(username:password)"
    )
    assert.strictEqual(failure("{"), "error occurred while trying to unmarshal json")
  })
})

const secret = (name: string, hash: string) => ({ uid: name, namespace: "n", name, hash })
const of = (...secrets: ReadonlyArray<ReturnType<typeof secret>>) => ({ isOpen: false, secrets, accounts: [] })

describe("the record of who has pulled an image", () => {
  it("grows with each pull, until all have access", () => {
    const known = of(secret("a", "1"))
    assert.strictEqual(mergedCredentials(known, of(secret("a", "1"))), known)
    assert.deepStrictEqual(mergedCredentials(known, of(secret("a", "2"))), of(secret("a", "2")))
    assert.deepStrictEqual(mergedCredentials(known, of(secret("b", "1"))), of(secret("a", "1"), secret("b", "1")))
    assert.deepStrictEqual(mergedCredentials(known, openToAll), openToAll)
    assert.deepStrictEqual(mergedCredentials(openToAll, known), openToAll)
  })

  it("lets in the same Secret with another content, and adds no more than 100", () => {
    const account = { uid: "s", namespace: "n", name: "s" }
    const known = { ...of(secret("a", "1")), accounts: [account] }
    assert.deepStrictEqual(matchingCredentials(known, [secret("a", "2")], undefined)?.secrets, [secret("a", "2")])
    assert.isUndefined(matchingCredentials(known, [secret("b", "2")], undefined))
    assert.strictEqual(matchingCredentials(known, [], account), known)
    const full = of(...Array.from({ length: 100 }, (_, index) => secret(`s${index}`, String(index))))
    assert.strictEqual(matchingCredentials(full, [secret("new", "5")], undefined), full)
    assert.isUndefined(matchingCredentials(full, [secret("s5", "new")], undefined))
  })

  it("is kept as long as the image, and knows pulls that a restart has cut off", () => {
    const records = new PullRecords()
    records.begin("app:1")
    records.succeeded("app:1", "ref", openToAll, 1_000)
    assert.strictEqual(records.credentialsOf("app:2", "ref"), openToAll)
    records.prune(new Set(), 1_000)
    assert.isTrue(records.isPulledByKubelet("app:1", "ref"))
    records.prune(new Set(), 1_001)
    assert.isFalse(records.isPulledByKubelet("app:1", "ref"))
    records.begin("app:1")
    records.processEnded()
    assert.isTrue(records.isPulledByKubelet("app:1", "ref"))
    records.begin("app:1")
    records.failed("app:1")
    assert.isFalse(records.isPulledByKubelet("app:1", "ref"))
  })
})

describe("preloadedImagesVerificationAllowlist", () => {
  it("has names without tags, and beginnings", () => {
    assert.isUndefined(allowListProblem(["quay.io/a/b", "quay.io/a/*", "nginx"]))
    const problems = [" a", "", "a/*b", "/*", "a:1", "A", "a b"].map((pattern) => allowListProblem([pattern]))
    assert.deepStrictEqual(problems, [
      "leading/trailing spaces are not allowed:  a",
      "the supplied pattern is too short: ",
      "not a valid wildcard pattern, only patterns ending with '/*' are allowed: a/*b",
      "at least registry hostname is required",
      "neither tag nor digest is accepted in an image reference: a:1",
      "failed to parse as an image name: repository name must be lowercase",
      "failed to parse as an image name: invalid reference format"
    ])
    assert.deepStrictEqual(nameWithoutTag(`a/b:1@sha256:${"0".repeat(64)}`), Result.succeed("a/b"))
  })
})
