import { partsOfContent } from './content';
import type { ContentParts, Media } from './content';
import type { Foreign } from './foreign';

// What models of the AI SDK get of results with content, in each version of the SDK.

/** Parts of a tool result in AI SDK 5. */
const mediaOf5 = ({ data, mimeType }: Media) => ({ type: 'media', data, mediaType: mimeType });
const OF_5: ContentParts<Foreign> = {
  text: (text) => ({ type: 'text', text }),
  image: mediaOf5,
  audio: mediaOf5,
  pdf: mediaOf5,
};

/** Those of AI SDK 6. AI SDK 7 takes them too, with a warning. */
const OF_6: ContentParts<Foreign> = {
  ...OF_5,
  image: ({ data, mimeType }) => ({ type: 'image-data', data, mediaType: mimeType }),
  audio: ({ data, mimeType }) => ({ type: 'file-data', data, mediaType: mimeType }),
  pdf: ({ data, mimeType, name }) => ({ type: 'file-data', data, mediaType: mimeType, filename: name }),
};

/** Those of AI SDK 7. */
const fileOf7 = ({ data, mimeType }: Media) => ({ type: 'file', mediaType: mimeType, data: { type: 'data', data } });
const OF_7: ContentParts<Foreign> = {
  ...OF_5,
  image: fileOf7,
  audio: fileOf7,
  pdf: (media) => ({ ...fileOf7(media), filename: media.name }),
};

/** What models get of the results of a tool, by the version of the SDK that calls it. */
export class ModelOutput {
  #is7 = false;

  /** Notes what the SDK passes to a call. Versions before 7 pass no context. */
  called(call: unknown): void {
    this.#is7 ||= typeof call === 'object' && call !== null && 'context' in call;
  }

  /** `toModelOutput` of the tool. */
  of = (given: Foreign): Foreign => toModelOutput(given, this.#is7);
}

/**
 * `toModelOutput` of a tool: the result as JSON, which is what the SDK makes of it too, and content as parts.
 *
 * @param given the result in AI SDK 5, an object that has it in later versions
 * @param is7 whether AI SDK 7 has called the tool
 */
export function toModelOutput(given: Foreign, is7: boolean): Foreign {
  const isLater = typeof given === 'object' && given !== null && 'toolCallId' in given && 'output' in given;
  const result = isLater ? given.output : given;
  if (!Array.isArray(result?.content)) return { type: 'json', value: result === undefined ? null : result };
  const { content, ...others } = result;
  const to = isLater ? (is7 ? OF_7 : OF_6) : OF_5;
  return { type: 'content', value: [to.text(JSON.stringify(others)), ...partsOfContent(content, to)] };
}
