import { isPlainObject } from './describe';
import { cutMiddle } from './cut-text';
import { defineMember } from './tool-names';
import { isWide } from './wide-objects';
import type { Foreign } from './foreign';

// Images, audio, files and resources of a run. This is the one place that recognizes them.

/**
 * A part of a result that a model sees as it is, in the form of content blocks of the Model Context Protocol. `data`
 * and `blob` are base64.
 */
export type ContentBlock =
  | { type: 'text'; text: string }
  /** PNG, JPEG, GIF or WebP */
  | { type: 'image'; data: string; mimeType: string }
  /** WAV, MP3, Ogg or FLAC */
  | { type: 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text: string } }
  /** Any other file, such as a PDF. */
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string };

/** The most blocks of a run, and the most bytes of all its files. */
const MAX_BLOCKS = 20;
const MAX_BYTES = 8 << 20;
const MAX_CHARS = 20_000;
/** UTF-16 units that there must be room for before another string is cut. */
const MIN_TEXT = 100;
/** UTF-16 units of a name, a type and an address. */
const MAX_NAME = 255;
const MAX_TYPE = 100;
const MAX_URI = 2_048;
/** How much of an output is searched for content. */
const MAX_PARTS = 1_000;
const MAX_DEPTH = 5;

const PDF = 'application/pdf';
const UNKNOWN_TYPE = 'application/octet-stream';
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,/;

/** Files by their first bytes, which are read as Latin-1. */
const SIGNATURES: readonly { mimeType: string; starts: string; at?: number }[] = [
  { mimeType: 'image/png', starts: '\x89PNG\r\n\x1a\n' },
  { mimeType: 'image/jpeg', starts: '\xff\xd8\xff' },
  { mimeType: 'image/gif', starts: 'GIF87a' },
  { mimeType: 'image/gif', starts: 'GIF89a' },
  { mimeType: 'image/webp', starts: 'WEBP', at: 8 },
  { mimeType: 'audio/wav', starts: 'WAVE', at: 8 },
  { mimeType: 'audio/mpeg', starts: 'ID3\x02' },
  { mimeType: 'audio/mpeg', starts: 'ID3\x03' },
  { mimeType: 'audio/mpeg', starts: 'ID3\x04' },
  { mimeType: 'audio/ogg', starts: 'OggS\x00' },
  { mimeType: 'audio/flac', starts: 'fLaC\x00' },
  { mimeType: PDF, starts: '%PDF-' },
  { mimeType: 'application/zip', starts: 'PK\x03\x04' },
  { mimeType: 'video/mp4', starts: 'ftypisom', at: 4 },
  { mimeType: 'video/mp4', starts: 'ftypmp4', at: 4 },
  { mimeType: 'video/webm', starts: '\x1aE\xdf\xa3' },
];
const HEAD_BYTES = 16;
/** The container of WebP and WAV. */
const RIFF = 'RIFF';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const AUDIO = ['audio/wav', 'audio/mpeg', 'audio/ogg', 'audio/flac'];
/** Files whose type says more than their first bytes, such as documents in a ZIP archive. */
const CONTAINERS = ['application/zip', 'video/mp4', 'video/webm'];
/** Types that a file has only if its first bytes are those of the type. */
const CHECKED = [...IMAGES, ...AUDIO, PDF];
const EXTENSIONS: Record<string, string> = { [PDF]: 'pdf', 'application/zip': 'zip', 'video/mp4': 'mp4' };

/** Bytes of artifacts that callers get as paths. */
const bytesOfArtifacts: WeakMap<object, Uint8Array> = new WeakMap();

/** Keeps the bytes of an artifact that has only a path, so that models can be shown it. */
export function keepBytes(artifact: object, bytes: Uint8Array): void {
  bytesOfArtifacts.set(artifact, bytes);
}

/** The content of one run, within its bounds. */
export class Content {
  readonly blocks: ContentBlock[] = [];
  #maxChars: number;
  #charsLeft: number;
  #bytesLeft = MAX_BYTES;
  #isOver = false;

  /** @param maxChars UTF-16 units of all texts */
  constructor(maxChars: number = MAX_CHARS) {
    this.#maxChars = maxChars;
    this.#charsLeft = maxChars;
  }

  /** UTF-16 units of text that there is room for. */
  get charsLeft(): number {
    return Math.max(MIN_TEXT, this.#charsLeft);
  }

  /**
   * Adds what a guest shows.
   *
   * @returns whether the value is content
   * @throws {RangeError} if the run has shown too much
   */
  show(value: unknown): boolean {
    const parts = partsOf(value);
    for (const part of parts ?? []) this.#show(part);
    return parts !== undefined;
  }

  /** @throws {RangeError} if the run has shown too much */
  showText(text: string): void {
    this.#show({ text });
  }

  /** Adds files that the executor has kept for the run. Files without data stay out. */
  addArtifacts(artifacts: unknown): void {
    for (const artifact of Array.isArray(artifacts) ? artifacts : []) {
      for (const part of partsOf(artifact) ?? []) this.#add(part);
    }
  }

  /**
   * Takes the content out of an output.
   *
   * @returns the output, with a description in the place of each part that was taken out
   */
  takeFrom(output: unknown): unknown {
    return this.#without(output, { left: MAX_PARTS, depth: 0 });
  }

  /** The run has ended: what its code still shows has no effect. */
  end(): void {
    this.#isOver = true;
  }

  #show(part: Part) {
    const problem = this.#isOver ? undefined : this.#add(part);
    if (problem !== undefined) throw new RangeError(problem);
  }

  /** @returns the same value if it holds no content */
  #without(value: Foreign, search: { left: number; depth: number }): unknown {
    const part = filePart(value);
    if (part !== undefined) return this.#taken(part);
    const isList = Array.isArray(value);
    if (search.depth === MAX_DEPTH || (!isList && (!isPlainObject(value) || isWide(value)))) return value;
    const count = isList ? value.length : Object.keys(value).length;
    if (count > search.left) return value;
    search.left -= count;
    search.depth++;
    let isChanged = false;
    const without = (item: unknown) => {
      const rest = this.#without(item, search);
      isChanged ||= !Object.is(rest, item);
      return rest;
    };
    const copy = isList ? value.map(without) : withMembers(value, without);
    search.depth--;
    return isChanged ? copy : value;
  }

  #taken(part: FilePart | LinkPart) {
    const problem = this.#add(part);
    const text = describePart(part);
    return problem === undefined ? `[${text}]` : `[${text}, not shown: ${problem}]`;
  }

  /** @returns why a part was not added */
  #add(part: Part): string | undefined {
    if (this.blocks.length === MAX_BLOCKS) return `a run shows at most ${MAX_BLOCKS} parts`;
    if ('text' in part) return this.#addText(part);
    if ('link' in part) {
      this.blocks.push(part.link);
      return undefined;
    }
    const bytes = sizeOf(part);
    if (bytes > this.#bytesLeft) return `a run shows at most ${MAX_BYTES} bytes`;
    this.#bytesLeft -= bytes;
    this.blocks.push(blockOf(part, this.blocks.length + 1));
    return undefined;
  }

  #addText({ text, resource }: TextPart) {
    const isCut = text.length > this.#charsLeft;
    if (isCut && this.#charsLeft < MIN_TEXT) return `a run shows at most ${this.#maxChars} characters of text`;
    const shown = cutMiddle(text, this.#charsLeft, 'of this text');
    this.#charsLeft = Math.max(0, this.#charsLeft - text.length);
    if (resource === undefined) this.blocks.push({ type: 'text', text: shown });
    else this.blocks.push({ type: 'resource', resource: { ...resource, text: shown } });
    return undefined;
  }
}

/** Base64 data of one type. */
export interface Media {
  data: string;
  mimeType: string;
}

/** How a framework takes content. Without a function for a kind, the model reads a description. */
export interface ContentParts<P> {
  text: (text: string) => P;
  image: (media: Media) => P;
  audio?: (media: Media) => P;
  pdf?: (media: Media & { name: string }) => P;
}

/** Content as the parts of a framework. */
export function partsOfContent<P>(content: readonly ContentBlock[], to: ContentParts<P>): P[] {
  return content.map((block) => {
    if (block.type === 'image') return to.image(block);
    if (block.type === 'audio' && to.audio !== undefined) return to.audio(block);
    const resource = block.type === 'resource' ? block.resource : undefined;
    if (resource !== undefined && 'blob' in resource && resource.mimeType === PDF && to.pdf !== undefined) {
      return to.pdf({ data: resource.blob, mimeType: PDF, name: nameIn(resource.uri) });
    }
    return to.text(textOf(block));
  });
}

/** Content as text, for models that get nothing else. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(textOf).join('\n');
}

/** Whether a part of content is a file whose data {@link contentText} leaves out. */
export function hasFiles(content: readonly ContentBlock[]): boolean {
  return content.some((block) => 'data' in block || (block.type === 'resource' && 'blob' in block.resource));
}

/** What a model reads of a block that it cannot be shown. */
function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`;
    case 'resource': {
      const { resource } = block;
      return 'text' in resource ? resource.text : unshown(resource.mimeType, resource.blob);
    }
    default:
      return unshown(block.mimeType, block.data);
  }
}

function unshown(mimeType: string, data: string) {
  return `[${sized(mimeType, base64Bytes(data))}, which cannot be shown here]`;
}

/** The last part of an address. */
function nameIn(uri: string) {
  const name = uri.split(/[/\\?#]/).findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** A file whose content is not decoded yet. */
interface FilePart {
  file: Uint8Array | string;
  /** as the guest has called it */
  mimeType: string | undefined;
  name: string | undefined;
  uri: string | undefined;
}

interface TextPart {
  text: string;
  resource?: { uri: string; mimeType?: string };
}

interface LinkPart {
  link: ContentBlock & { type: 'resource_link' };
}

type Part = FilePart | TextPart | LinkPart;

/** The parts of a value that is content as a whole. */
function partsOf(value: Foreign): Part[] | undefined {
  const part = filePart(value) ?? textPart(value);
  if (part !== undefined) return [part];
  const list = Array.isArray(value) ? value : isPlainObject(value) ? value.content : undefined;
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_BLOCKS) return undefined;
  const parts = list.map((item) => filePart(item) ?? textPart(item));
  if (parts.some((it) => it === undefined) || !parts.some((it) => it !== undefined && !('text' in it)))
    return undefined;
  return parts as Part[];
}

/** A value that is not text: a block, bytes of a known kind, a data URL, or a file of an executor. */
function filePart(value: Foreign): FilePart | LinkPart | undefined {
  if (typeof value === 'string') return ofDataUrl(value);
  const bytes = bytesOf(value);
  if (bytes !== undefined) {
    return typeOfBytes(bytes) === undefined ? undefined : file(bytes, {});
  }
  if (!isPlainObject(value)) return undefined;
  const { type, data, mimeType, resource, uri, name } = value;
  if ((type === 'image' || type === 'audio') && typeof mimeType === 'string') return ofData(data, { mimeType });
  if (typeof type === 'string') {
    const part = ofFramework(value);
    if (part !== undefined) return part;
  }
  if (type === 'resource' && isPlainObject(resource) && typeof resource.blob === 'string') {
    return file(resource.blob, { mimeType: resource.mimeType, uri: resource.uri });
  }
  if (type === 'resource_link' && typeof uri === 'string' && typeof name === 'string' && uri.length <= MAX_URI) {
    const link = { type: 'resource_link' as const, uri, name: name.slice(0, MAX_NAME) };
    return { link: isType(mimeType) ? { ...link, mimeType } : link };
  }
  const kept =
    type === undefined && typeof mimeType === 'string' ? (bytesOf(data) ?? bytesOfArtifacts.get(value)) : undefined;
  return kept === undefined ? undefined : file(kept, { mimeType, name });
}

/** Blocks of Anthropic, OpenAI and LangChain, which their tools return. */
function ofFramework({ source, image, image_url: imageUrl }: Foreign): FilePart | undefined {
  if (isPlainObject(source) && source.type === 'base64' && typeof source.data === 'string') {
    return file(source.data, { mimeType: source.media_type });
  }
  const url = imageUrl?.url ?? imageUrl ?? image;
  return typeof url === 'string' ? ofDataUrl(url) : undefined;
}

function textPart(value: Foreign): TextPart | undefined {
  if (!isPlainObject(value)) return undefined;
  const { type, text, resource } = value;
  if (type === 'text' && typeof text === 'string') return { text };
  if (type !== 'resource' || !isPlainObject(resource) || typeof resource.text !== 'string') return undefined;
  const { uri, mimeType } = resource;
  if (typeof uri !== 'string' || uri.length > MAX_URI) return { text: resource.text };
  return { text: resource.text, resource: { uri, ...(isType(mimeType) && { mimeType }) } };
}

function ofData(data: unknown, about: { mimeType: string }) {
  if (typeof data === 'string') return file(data, about);
  const bytes = bytesOf(data);
  return bytes && file(bytes, about);
}

function ofDataUrl(value: string) {
  if (!value.startsWith('data:')) return undefined;
  const [start, mimeType] = DATA_URL.exec(value.slice(0, MAX_TYPE + 20)) ?? [];
  return start === undefined ? undefined : file(value.slice(start.length), { mimeType });
}

function file(content: Uint8Array | string, about: { mimeType?: unknown; name?: unknown; uri?: unknown }): FilePart {
  const { mimeType, name, uri } = about;
  return {
    file: content,
    mimeType: isType(mimeType) ? mimeType.toLowerCase() : undefined,
    name: typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME) : undefined,
    uri: typeof uri === 'string' && uri.length <= MAX_URI ? uri : undefined,
  };
}

function isType(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TYPE && MIME_TYPE.test(value);
}

/** The bytes decide what a file is: providers reject a conversation with an image that is none. */
function blockOf({ file: content, mimeType: given, name, uri }: FilePart, number: number): ContentBlock {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'base64') : content;
  const known = typeOfBytes(bytes);
  const mimeType = known === undefined || (given !== undefined && CONTAINERS.includes(known)) ? given : known;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  if (known !== undefined && IMAGES.includes(known)) return { type: 'image', data, mimeType: known };
  if (known !== undefined && AUDIO.includes(known)) return { type: 'audio', data, mimeType: known };
  const type = mimeType === undefined || (known === undefined && CHECKED.includes(mimeType)) ? UNKNOWN_TYPE : mimeType;
  const fileName = name ?? `${number}.${EXTENSIONS[type] ?? 'bin'}`;
  return {
    type: 'resource',
    resource: {
      uri: uri ?? `display:///${encodeURIComponent((fileName as Foreign).toWellFormed())}`,
      mimeType: type,
      blob: data,
    },
  };
}

/** The type of a file by its first bytes. */
function typeOfBytes(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES)).toString('latin1');
  const found = SIGNATURES.find(({ starts, at = 0 }) => head.startsWith(starts, at));
  const isRiff = found?.at === 8;
  if (found !== undefined && (!isRiff || head.startsWith(RIFF))) return found.mimeType;
  return isMp3(bytes) ? 'audio/mpeg' : undefined;
}

/** Kilobits per second and samples per second of MPEG 1, Layer III. */
const BIT_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const SAMPLE_RATES = [44_100, 48_000, 32_000];

/** Whether two frames of MPEG 1, Layer III, begin the data. One frame header occurs in other bytes, too. */
function isMp3(bytes: Uint8Array) {
  const length = frameLength(bytes, 0);
  return length !== undefined && frameLength(bytes, length) !== undefined;
}

function frameLength(bytes: Uint8Array, at: number) {
  const [sync, version, rates] = bytes.subarray(at, at + 3);
  if (sync !== 0xff || (version & 0xfe) !== 0xfa) return undefined;
  const bitRate = BIT_RATES[rates >> 4];
  const sampleRate = SAMPLE_RATES[(rates >> 2) & 3];
  if (!bitRate || !sampleRate) return undefined;
  return Math.floor((144_000 * bitRate) / sampleRate) + ((rates >> 1) & 1);
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof DataView ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

function withMembers(value: Record<string, unknown>, without: (item: unknown) => unknown) {
  const copy = {};
  for (const key of Object.keys(value)) defineMember(copy, key, without(value[key]));
  return copy;
}

function sizeOf({ file: content }: FilePart) {
  return typeof content === 'string' ? base64Bytes(content) : content.byteLength;
}

function base64Bytes(data: string) {
  return Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
}

function describePart(part: FilePart | LinkPart) {
  if ('link' in part) return `${part.link.name}: ${part.link.uri}`;
  const { file: content, mimeType } = part;
  const head = typeof content === 'string' ? Buffer.from(content.slice(0, 2 * HEAD_BYTES), 'base64') : content;
  return sized(typeOfBytes(head) ?? mimeType ?? UNKNOWN_TYPE, sizeOf(part));
}

function sized(mimeType: string, bytes: number) {
  return `${mimeType}, ${bytes.toLocaleString('en')} bytes`;
}
