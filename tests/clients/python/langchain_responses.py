"""LangChain for Python, with responses."""

from langchain_openai import ChatOpenAI

from langchain_kit import serve_chat

serve_chat(lambda url, name: ChatOpenAI(base_url=url, model=name, api_key="none",
                                        use_responses_api=True))
