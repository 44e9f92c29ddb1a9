/**
 * What a page says and offers, as text. The looking is done by a script in a world of its own inside the page, where the page's scripts
 * have no hand in it; it is bounded in time and amount, for a page may be as large and as hostile as it likes.
 */
import { truncate } from "../text/truncate.ts"

export interface OutlineEntry {
  /** Absent for what is only to be read. */
  number?: number
  kind: string
  text: string
  x: number
  y: number
  /** Where it is as seen from what is shown. */
  place: "here" | "above" | "below" | "aside"
}

export interface Outline {
  title: string
  entries: OutlineEntry[]
  /** There is more than was looked at. */
  cut: boolean
}

const MOST_CHARACTERS = 8000

export function outlineText({ entries, cut }: Outline): string {
  const lines: string[] = []
  let size = 0
  for (const { number, kind, text, x, y, place } of entries) {
    const far = place === "here" ? "" : ` (${place})`
    const line =
      number === undefined
        ? `${kind === "heading" ? "# " : ""}${text}`
        : `[${number}] ${kind} ${JSON.stringify(text)} ${x},${y}${far}`
    size += line.length + 1
    if (size > MOST_CHARACTERS) return [...lines, "… the page goes on"].join("\n")
    lines.push(line)
  }
  return (cut ? [...lines, "… the page goes on"] : lines).join("\n")
}

/** What came out of a page is checked like anything else from outside. */
export function readOutline(value: unknown): Outline {
  const { title, entries, cut } = asRecord(value)
  const list = Array.isArray(entries) ? entries : []
  return { title: textOf(title, 200), entries: list.slice(0, 500).map((entry) => readEntry(asRecord(entry))), cut: cut === true }
}

function readEntry({ number, kind, text, x, y, place }: Record<string, unknown>): OutlineEntry {
  const known = (["here", "above", "below", "aside"] as const).find((one) => one === place) ?? "here"
  return {
    ...(typeof number === "number" && { number }),
    kind: textOf(kind, 20),
    text: textOf(text, 200),
    x: Math.round(Number(x)) || 0,
    y: Math.round(Number(y)) || 0,
    place: known,
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function textOf(value: unknown, longest: number): string {
  return typeof value === "string" ? truncate(value.replace(/\s+/g, " ").trim(), longest) : ""
}

/** The name in that world under which what was numbered is found again. */
const SEEN = "joeySeen"

/** Where the element with this number is now, brought into view; null when it is gone. */
export function placeScript(element: number): string {
  return `(() => {
    const found = globalThis.${SEEN}?.[${Math.trunc(element)} - 1];
    if (!found || !found.isConnected) return null;
    Element.prototype.scrollIntoView.call(found, { block: "center", inline: "center", behavior: "instant" });
    const box = Element.prototype.getBoundingClientRect.call(found);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  })()`
}

/**
 * Names of a page's elements can stand for members of its document and forms ("clobbering"), so everything is asked through the
 * prototypes.
 */
export const OUTLINE_SCRIPT = `(() => {
  const MOST_NODES = 20000, MOST_ENTRIES = 250, MOST_MS = 400, LONGEST = 120;
  const began = performance.now();
  const seen = [], entries = [];
  let nodes = 0, cut = false, words = "";
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name) ?? "";
  const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const boxOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const rawText = getter(Node.prototype, "textContent");
  const tagOf = getter(Element.prototype, "localName");
  const shadowOf = getter(Element.prototype, "shadowRoot");
  const tidy = (text) => String(text).slice(0, 2000).replace(/\\s+/g, " ").trim().slice(0, LONGEST);
  const ROLES = /^(button|link|checkbox|radio|tab|menuitem|option|switch|combobox|textbox|searchbox|slider|spinbutton)$/;
  const kindOf = (element, tag) => {
    const role = attribute(element, "role");
    if (ROLES.test(role)) return role;
    if (tag === "a") return Element.prototype.hasAttribute.call(element, "href") ? "link" : "";
    if (tag === "input") return element.type === "hidden" ? "" : "input " + element.type;
    if (tag === "button" || tag === "select" || tag === "textarea" || tag === "summary" || tag === "video" || tag === "audio") return tag;
    if (tag === "iframe") return "frame";
    if (/^(|true|plaintext-only)$/.test(attribute(element, "contenteditable")) && Element.prototype.hasAttribute.call(element, "contenteditable")) return "text field";
    return Element.prototype.hasAttribute.call(element, "onclick") ? "button" : "";
  };
  const nameOf = (element, tag) => {
    const labels = tag === "input" || tag === "select" || tag === "textarea" ? [...(element.labels ?? [])].map((one) => rawText.call(one)).join(" ") : "";
    const own = tag === "input" || tag === "textarea" || tag === "select" ? "" : rawText.call(element);
    const image = tag === "a" || tag === "button" ? Element.prototype.querySelector.call(element, "img[alt]") : null;
    const name = [attribute(element, "aria-label"), labels, own, attribute(element, "placeholder"), image ? attribute(image, "alt") : "",
      attribute(element, "title"), attribute(element, "name"), tag === "input" && /button|submit|reset/.test(element.type) ? element.value : "", attribute(element, "src")]
      .map(tidy).find((text) => text !== "") ?? "";
    if (tag === "select") return name + " = " + tidy(element.selectedOptions?.[0]?.text ?? "");
    if (tag === "textarea" || (tag === "input" && !/button|submit|reset|checkbox|radio|password|file|image/.test(element.type)))
      return element.value ? name + " = " + tidy(element.value) : name;
    if (tag === "input" && element.type === "password") return element.value ? name + " = (hidden)" : name;
    return tag === "input" && element.checked ? name + " (checked)" : name;
  };
  const flush = () => {
    if (words.length > 1) entries.push({ kind: "text", text: words, x: 0, y: 0, place: "here" });
    words = "";
  };
  const placeOf = (x, y) => (y < 0 ? "above" : y > innerHeight ? "below" : x < 0 || x > innerWidth ? "aside" : "here");
  const visit = (root) => {
    const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, {
      acceptNode(node) {
        if (node.nodeType === 3) return NodeFilter.FILTER_ACCEPT;
        const tag = tagOf.call(node);
        if (/^(script|style|noscript|template|svg|head|canvas|object|embed)$/.test(tag)) return NodeFilter.FILTER_REJECT;
        if (tag === "html" || tag === "body") return NodeFilter.FILTER_ACCEPT;
        return Element.prototype.checkVisibility.call(node, { visibilityProperty: true }) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT;
      },
    });
    let inside = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (++nodes > MOST_NODES || entries.length >= MOST_ENTRIES || performance.now() - began > MOST_MS) { cut = true; return; }
      if (inside && Node.prototype.contains.call(inside, node)) continue;
      inside = null;
      if (node.nodeType === 3) {
        const text = tidy(getter(CharacterData.prototype, "data").call(node));
        if (text !== "") words = words === "" ? text : words + " " + text;
        if (words.length > LONGEST) flush();
        continue;
      }
      const tag = tagOf.call(node), kind = kindOf(node, tag);
      const shadow = shadowOf.call(node);
      if (shadow) visit(shadow);
      if (cut) return;
      if (kind === "" && !/^h[1-6]$/.test(tag)) {
        if (/^(p|div|li|tr|section|article|main|header|footer|nav|ul|ol|table|form|pre|blockquote|dd|dt|br|hr)$/.test(tag)) flush();
        continue;
      }
      flush();
      const box = boxOf(node);
      if (kind === "") {
        const text = tidy(rawText.call(node));
        if (!Element.prototype.querySelector.call(node, "a[href],button,input")) { inside = node; if (text) entries.push({ kind: "heading", text, x: 0, y: 0, place: "here" }); }
        continue;
      }
      if (box.width < 1 || box.height < 1) continue;
      if (tag !== "select") inside = node; else inside = node;
      const x = box.x + box.width / 2, y = box.y + box.height / 2;
      seen.push(node);
      entries.push({ number: seen.length, kind: kind + (node.disabled === true ? " (disabled)" : ""), text: nameOf(node, tag), x, y, place: placeOf(x, y) });
    }
    flush();
  };
  visit(document);
  globalThis.${SEEN} = seen;
  return { title: tidy(getter(Document.prototype, "title").call(document)), entries, cut };
})()`
