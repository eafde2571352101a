/** Upstream: github.com/distribution/reference, ParseNormalizedNamed; pkg/util/parsers, ParseImageName. */

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
const domainLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
const domainPattern = new RegExp(`^(?:${domainLabel}(?:\\.${domainLabel})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`)
const namePattern = new RegExp(`^(${component}(?:/${component})*)(?::(\\w[\\w.-]{0,127}))?(?:@([^@]+))?$`)
const digestPattern = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/

const MAX_PATH = 255
/** The longest reference that can be valid: a domain, a path, a tag and a digest. */
const MAX_REFERENCE = 1024

const isDomain = (text: string): boolean => text === "localhost" || /[.:]/.test(text) || text.toLowerCase() !== text

const MAX_KNOWN = 256
const knownTags = new Map<string, string>()

/** Returns the tag of an image: `latest` if it has neither tag nor digest, and "" if the reference is invalid. */
export const imageTag = (image: string): string => {
  const known = knownTags.get(image)
  if (known !== undefined) return known
  const tag = tagOf(image)
  if (knownTags.size >= MAX_KNOWN) knownTags.clear()
  if (image.length <= MAX_REFERENCE) knownTags.set(image, tag)
  return tag
}

const tagOf = (image: string): string => {
  if (image.length > MAX_REFERENCE || /^[a-f0-9]{64}$/.test(image)) return ""
  const slash = image.indexOf("/")
  const hasDomain = slash >= 0 && isDomain(image.slice(0, slash))
  const domain = hasDomain ? image.slice(0, slash) : "docker.io"
  if (!domainPattern.test(domain)) return ""
  const match = namePattern.exec(hasDomain ? image.slice(slash + 1) : image)
  const [path, tag, digest] = [match?.[1], match?.[2], match?.[3]]
  if (path === undefined) return ""
  const isOfficial = (domain === "docker.io" || domain === "index.docker.io") && !path.includes("/")
  if (path.length + (isOfficial ? "library/".length : 0) > MAX_PATH) return ""
  if (digest !== undefined && !digestPattern.test(digest)) return ""
  return tag ?? (digest === undefined ? "latest" : "")
}
