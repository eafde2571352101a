/** A command in a page, split into words like in a shell. */
export interface PageCommand {
  /** The number of its first line, from 1. */
  readonly line: number
  readonly words: ReadonlyArray<string>
  /** The files to which its output is redirected. */
  readonly redirects: ReadonlyArray<string>
  /** The text around it: the page from the heading above to the next, without code. */
  readonly prose: string
}

interface Part {
  readonly lines: ReadonlyArray<readonly [number: number, text: string]>
  readonly prose: string
  readonly code: ReadonlyArray<string>
}

/** Returns the lines of shell blocks, and lines after a prompt in other blocks, by parts of the page. */
const partsOf = (page: string): ReadonlyArray<Part> => {
  const parts: Array<{ lines: Array<[number, string]>; prose: string; code: Array<string> }> = []
  let fence: string | undefined
  for (const [index, text] of page.split("\n").entries()) {
    if (parts.length === 0 || (fence === undefined && /^#+ /.test(text))) parts.push({ lines: [], prose: "", code: [] })
    const part = parts.at(-1)
    if (part === undefined) continue
    if (/^\s*```/.test(text)) fence = fence === undefined ? text.trim() : undefined
    else if (fence === "```sh") part.lines.push([index + 1, text])
    else if (fence !== undefined && text.startsWith("$ ")) part.lines.push([index + 1, text.slice(2)])
    else if (fence === undefined) {
      part.prose += `${text}\n`
      part.code.push(...[...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code))
    }
  }
  return parts
}

const TOKEN = /"([^"]*)"|'([^']*)'|(\|\||&&|[|;>])|((?:[^\s"'|;>&]|(?<=\S)[&])+)|(\s+)/g

/** Splits a shell line into commands at pipes and operators. */
const commandsOfLine = (text: string): ReadonlyArray<{ words: Array<string>; redirects: Array<string> }> => {
  const commands = [{ words: [] as Array<string>, redirects: [] as Array<string> }]
  let isJoined = false
  let redirects = false
  for (const [, double, single, operator, plain, space] of text.matchAll(TOKEN)) {
    const command = commands.at(-1)
    if (command === undefined) break
    if (space !== undefined) isJoined = false
    else if (operator === ">") redirects = true
    else if (operator !== undefined) commands.push({ words: [], redirects: [] })
    else {
      if (!isJoined && plain?.startsWith("#")) break
      const word = double ?? single ?? plain ?? ""
      const into = redirects ? command.redirects : command.words
      if (isJoined && !redirects) into.push(`${into.pop() ?? ""}${word}`)
      else into.push(word)
      redirects = false
      isJoined = true
    }
    if (operator !== undefined) isJoined = false
  }
  return commands.filter(({ words }) => words.length > 0)
}

/** Returns all commands of a page's shell blocks, in order. */
export const commandsOf = (page: string): ReadonlyArray<PageCommand> =>
  partsOf(page).flatMap(({ lines, prose }) => {
    const whole: Array<[number, string]> = []
    let isOpen = false
    for (const [line, text] of lines) {
      const last = whole.at(-1)
      if (isOpen && last !== undefined) last[1] += text.trimStart()
      else whole.push([line, text])
      isOpen = text.endsWith("\\")
      const grown = whole.at(-1)
      if (isOpen && grown !== undefined) grown[1] = grown[1].slice(0, -1)
    }
    return whole.flatMap(([line, text]) => commandsOfLine(text).map((command) => ({ ...command, line, prose })))
  })

/** Returns the commands in the text of a page: `rollcall up --config s.yaml`. */
export const inlineCommandsOf = (page: string): ReadonlyArray<ReadonlyArray<string>> =>
  partsOf(page).flatMap(({ code }) =>
    code
      .filter((text) => /^rollcalld? /.test(text) && !/[a-z]\\?\|[a-z]/.test(text))
      .flatMap((text) => commandsOfLine(text).map(({ words }) => words))
  )

/** Returns the files that the reader should save: `<!-- file: NAME -->` above a block. */
export const savedFilesOf = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/^<!-- file: (\S+) -->$/gm)].map(([, name = ""]) => name)
