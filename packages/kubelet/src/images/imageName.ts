import * as Result from "effect/Result"

/** Upstream: github.com/distribution/reference, regexp.go and normalize.go. */
const alphanumeric = "[a-z0-9]+"
const pathComponent = `${alphanumeric}(?:(?:[._]|__|-+)${alphanumeric})*`
const domainComponent = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
const host = `(?:${domainComponent}(?:\\.${domainComponent})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const tag = "[\\w][\\w.-]{0,127}"
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
const reference = new RegExp(`^((?:${host}/)?${pathComponent}(?:/${pathComponent})*)(?::(${tag}))?(?:@(${digest}))?$`)
const identifier = /^[a-f0-9]{64}$/

const DEFAULT_HOST = "docker.io"
const MAX_NAME_LENGTH = 255

/** Splits a name into the registry's host and the rest. A first part without a dot or a port is no host. */
const splitHost = (name: string): readonly [host: string, rest: string] => {
  const end = name.indexOf("/")
  const first = end === -1 ? "" : name.slice(0, end)
  const isHost = /[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first
  if (end === -1 || !isHost) return [DEFAULT_HOST, name]
  return [first === "index.docker.io" ? DEFAULT_HOST : first, name.slice(end + 1)]
}

/**
 * Returns an image's full name, with registry and tag, as a container runtime lists it: `docker.io/library/nginx:latest`
 * for `nginx`. Fails with the kubelet's words if it is no image name. Upstream: pkg/util/parsers/parsers.go.
 */
export const fullImageName = (image: string): Result.Result<string, string> => {
  const fail = (problem: string) => Result.fail(`couldn't parse image name ${JSON.stringify(image)}: ${problem}`)
  if (identifier.test(image)) {
    return fail(`invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`)
  }
  const [registry, rest] = splitHost(image)
  const path = registry === DEFAULT_HOST && !rest.includes("/") ? `library/${rest}` : rest
  const [repository = ""] = path.split(":", 1)
  if (repository.toLowerCase() !== repository) {
    return fail(`invalid reference format: repository name (${repository}) must be lowercase`)
  }
  const [full, name = "", givenTag, givenDigest] = reference.exec(`${registry}/${path}`) ?? []
  if (full === undefined) return fail("invalid reference format")
  if (name.length - registry.length - 1 > MAX_NAME_LENGTH) {
    return fail(`repository name must not be more than ${MAX_NAME_LENGTH} characters`)
  }
  return Result.succeed(givenTag === undefined && givenDigest === undefined ? `${full}:latest` : full)
}

/**
 * Returns an image's name as it is written, without its tag and digest; fails if it is no reference. Upstream:
 * github.com/distribution/reference, Parse.
 */
export const nameWithoutTag = (image: string): Result.Result<string, string> => {
  const [, name = ""] = reference.exec(image) ?? []
  if (name !== "") {
    const isLong = splitHost(name)[1].length > MAX_NAME_LENGTH
    return isLong
      ? Result.fail(`repository name must not be more than ${MAX_NAME_LENGTH} characters`)
      : Result.succeed(name)
  }
  if (image === "") return Result.fail("repository name must have at least one component")
  const isUpper = reference.test(image.toLowerCase())
  return Result.fail(isUpper ? "repository name must be lowercase" : "invalid reference format")
}

/** Most names, for which this is known at once: short, without a port and a digest. */
const usual = /^[a-z0-9]+(?:[._/-][a-z0-9]+)*(?::\w[\w.-]*)?$/
const USUAL_LENGTH = 63

/** Whether this is the name of an image. */
export const isImageName = (image: string): boolean =>
  (image.length <= USUAL_LENGTH && usual.test(image)) || Result.isSuccess(fullImageName(image))
