package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;

/** Writes the rows of a Parquet file, with pages that are compressed by zstd. A subclass writes the fields of a row. */
public abstract class WrittenRows<T> extends WriteSupport<T> {
    private final WriteContext context;
    /** Receives the fields of a row. */
    protected RecordConsumer out;

    @SuppressWarnings("NullAway.Init") // Parquet calls prepareForWrite before the first row
    protected WrittenRows(MessageType schema, Map<String, String> metadata) {
        context = new WriteContext(schema, metadata);
    }

    /** Builds a writer for such rows. The caller closes the writer, which flushes the stream but does not close it. */
    public final ParquetWriter.Builder<T, ?> to(OutputStream stream) {
        return new Builder<>(ParquetFiles.output(stream), this)
                .withConf(new PlainParquetConfiguration())
                .withCodecFactory(new ParquetCodecs())
                .withCompressionCodec(CompressionCodecName.ZSTD);
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in Parquet; never called with a ParquetConfiguration
    public final WriteContext init(Configuration configuration) {
        return context;
    }

    @Override
    public final WriteContext init(ParquetConfiguration configuration) {
        return context;
    }

    @Override
    public final void prepareForWrite(RecordConsumer consumer) {
        out = consumer;
    }

    private static final class Builder<T> extends ParquetWriter.Builder<T, Builder<T>> {
        private final WrittenRows<T> rows;

        Builder(OutputFile file, WrittenRows<T> rows) {
            super(file);
            this.rows = rows;
        }

        @Override
        protected Builder<T> self() {
            return this;
        }

        /**
         * Builds one writer at a time. The library takes the encodings of a row group from a static factory, which has
         * the version of the writer that was built last (ParquetProperties.DEFAULT_VALUES_WRITER_FACTORY). So a later
         * row group may have other encodings if another thread writes a file of the other version. Every reader
         * understands them.
         */
        @Override
        public ParquetWriter<T> build() throws IOException {
            synchronized (WrittenRows.class) {
                return super.build();
            }
        }

        @Override
        protected WriteSupport<T> getWriteSupport(ParquetConfiguration configuration) {
            return rows;
        }

        @Override
        @SuppressWarnings("deprecation") // abstract in Parquet; never called with a ParquetConfiguration
        protected WriteSupport<T> getWriteSupport(Configuration configuration) {
            return rows;
        }
    }
}
