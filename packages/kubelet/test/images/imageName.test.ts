import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fullImageName, isImageName } from "../../src/images/imageName.ts"

const nameOf = (image: string) => Result.getOrElse(fullImageName(image), (problem) => `error: ${problem}`)
const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`

describe("the full name of an image", () => {
  it.each([
    ["nginx", "docker.io/library/nginx:latest"],
    ["nginx:1.27", "docker.io/library/nginx:1.27"],
    ["shop/web", "docker.io/shop/web:latest"],
    ["index.docker.io/nginx", "docker.io/library/nginx:latest"],
    ["registry.k8s.io/pause:3.10", "registry.k8s.io/pause:3.10"],
    ["localhost/web", "localhost/web:latest"],
    ["registry:5000/web", "registry:5000/web:latest"],
    ["[::1]:5000/web", "[::1]:5000/web:latest"],
    [`nginx@${DIGEST}`, `docker.io/library/nginx@${DIGEST}`],
    [`nginx:1@${DIGEST}`, `docker.io/library/nginx:1@${DIGEST}`]
  ])("of %s", (image, full) => assert.strictEqual(nameOf(image), full))

  it.each([
    ["Nginx", "invalid reference format: repository name (library/Nginx) must be lowercase"],
    ["nginx:", "invalid reference format"],
    ["a//b", "invalid reference format"],
    [" nginx", "invalid reference format"],
    ["nginx@sha256:12", "invalid reference format"],
    ["a".repeat(64), `invalid repository name (${"a".repeat(64)}), cannot specify 64-byte hexadecimal strings`],
    [`b/${"z".repeat(254)}`, "repository name must not be more than 255 characters"]
  ])("is refused for %s", (image, problem) =>
    assert.strictEqual(nameOf(image), `error: couldn't parse image name ${JSON.stringify(image)}: ${problem}`)
  )

  it("exists exactly for what counts as a name", () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9._:@/-]{0,70}$/)
    fc.assert(
      fc.property(part, (image) => assert.strictEqual(isImageName(image), Result.isSuccess(fullImageName(image))))
    )
    const likely = fc.stringMatching(/^[a-z0-9]{1,3}([._/:-]{1,2}[a-z0-9]{1,3}){0,4}$/)
    fc.assert(
      fc.property(likely, (image) => assert.strictEqual(isImageName(image), Result.isSuccess(fullImageName(image))))
    )
  })
})
