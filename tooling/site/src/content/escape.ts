const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Returns a text as HTML, also for a value of an attribute. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "")

/** Returns a name as HTML in which a line may break between its words. */
export const breakable = (name: string): string =>
  escapeHtml(name.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[./])(?=\w)/g, "\u200b")).replaceAll("\u200b", "<wbr>")

/** Returns the text of HTML, without its tags. */
export const textOf = (html: string): string =>
  Object.entries(entities)
    .reduceRight(
      (text, [character, entity]) => text.replaceAll(entity, character),
      html.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ")
    )
    .trim()
